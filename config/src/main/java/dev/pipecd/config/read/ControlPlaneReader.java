// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.ControlPlaneConfig.ApplicationInsight;
import dev.pipecd.config.ControlPlaneConfig.Cache;
import dev.pipecd.config.ControlPlaneConfig.DeploymentInsight;
import dev.pipecd.config.ControlPlaneConfig.InsightCollector;
import dev.pipecd.config.ControlPlaneConfig.Login;
import dev.pipecd.config.ControlPlaneConfig.Ops;
import dev.pipecd.config.ControlPlaneConfig.Project;
import dev.pipecd.config.ControlPlaneConfig.Retention;
import dev.pipecd.config.ControlPlaneConfig.StaticAdmin;
import dev.pipecd.config.ControlPlaneConfig.Storage;
import dev.pipecd.config.ControlPlaneConfig.Webhook;
import dev.pipecd.config.Cron;
import dev.pipecd.config.Datastore;
import dev.pipecd.config.Filestore;
import dev.pipecd.config.GoDuration;
import dev.pipecd.config.Secret;
import dev.pipecd.config.SharedSso;
import dev.pipecd.config.read.Fields.Rules;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The `spec` of a ControlPlane document.
final class ControlPlaneReader {
    private static final Duration SHORTEST_SILENCE = Duration.ofMinutes(10);

    /// Agents look at a day of events, and commands live for one.
    private static final Duration SHORTEST_RETENTION = Duration.ofHours(48);

    /// What the public schema finds everything of a project by.
    private static final int LONGEST_PROJECT = 50;

    private ControlPlaneReader() {}

    @Keys(
            """
            address | | | The URL people reach the web UI under; told to agents for links, and where people come back to from a login elsewhere.
            stateKey | | the encryption key | Signs the round trip of a [login elsewhere](../guides/access.md#single-sign-on).
            """)
    static ControlPlaneConfig read(Fields envelope, Fields spec) {
        if (!envelope.at("spec").isWritten())
            envelope.at("spec")
                    .mistake(
                            "missing (expected: an object; is the file cut short? write {} if everything is to have its default)");
        // A server that forgets where its data is would begin with none.
        for (var store : List.of("datastore", "filestore"))
            if (spec.isCutShort(store))
                spec.at(store)
                        .mistake(
                                "missing (expected: type and config; is the file cut short? leave the key out for the default)");
        var once = new Once("project");
        var chosen = new ArrayList<Field>();
        var address = spec.at("address").text();
        var config =
                new ControlPlaneConfig(
                        address,
                        new Storage(
                                datastore(spec.at("datastore")),
                                filestore(spec.at("filestore")),
                                spec.at("cache").section(ControlPlaneReader::cache)),
                        spec.at("insightCollector").section(ControlPlaneReader::insightCollector),
                        spec.at("projects").each(project -> project(project, once, chosen)),
                        new Login(
                                spec.at("stateKey").secret(),
                                SharedSsoReader.read(spec.at("sharedSSOConfigs"), address),
                                spec.at("projectSSO").section(SharedSsoReader::reach)),
                        spec.at("webhook").section(ControlPlaneReader::webhook),
                        spec.at("ops").section(ControlPlaneReader::ops));
        var offered = config.login().sharedSso().stream().map(SharedSso::name).toList();
        for (var name : chosen) offered(name, offered);
        return config;
    }

    private static void offered(Field chosen, List<String> names) {
        var name = chosen.text();
        if (name.isEmpty() || names.contains(name)) return;
        var meant =
                Telling.nearest(name, names).map("; did you mean \"%s\"?"::formatted).orElse("");
        chosen.mistake(
                "%s (expected: the name of one of sharedSSOConfigs%s)"
                        .formatted(Telling.quoted(name), meant));
    }

    @Keys(
            """
            datastore.type | | SQLite in `--data-dir` | Required if `datastore` is written. The public `FIRESTORE` is refused. Which to choose: [where data is kept](../guides/datastores.md).
            """)
    private static Datastore datastore(Field datastore) {
        if (!datastore.isWritten()) return new Datastore.Unset();
        return datastore.section(
                Rules.LENIENT,
                fields -> {
                    var type =
                            fields.at("type")
                                    .requiredChoice(List.of("SQLITE", "MYSQL", "MARIADB"))
                                    .orElse("");
                    return fields.at("config").section(config -> datastore(type, config));
                });
    }

    @Keys(
            """
            datastore.config.path | | | `SQLITE`: the file. Without `datastore` it is `pipecd.db` in `--data-dir`.
            """)
    private static Datastore datastore(String type, Fields config) {
        return switch (type) {
            case "SQLITE" -> new Datastore.Sqlite(config.at("path").required());
            case "MYSQL" -> new Datastore.MySql(server(config));
            case "MARIADB" -> new Datastore.MariaDb(server(config));
            default -> unread(config, new Datastore.Unset());
        };
    }

    @Keys(
            """
            datastore.config.url | secret | | `MYSQL`, `MARIADB`: `user:password@tcp(host:3306)`, optionally `/database?parameters`. Beside the two files only `host:port`.
            datastore.config.database | | the one in `url` | `MYSQL`, `MARIADB`: where the tables are.
            datastore.config.usernameFile, passwordFile | | | `MYSQL`, `MARIADB`: what holds user and password, both or none. A line end is not part of them.
            """)
    private static Datastore.Server server(Fields config) {
        var url = config.at("url");
        url.requireText("text");
        var written = url.hidden();
        var database = config.at("database");
        var name = database.text();
        if (!written.isBlank() && name.isEmpty() && !namesDatabase(written))
            database.mistake("missing (expected: the name of a database, here or in url)");
        return new Datastore.Server(
                url.secret(),
                name,
                config.at("usernameFile").fileOrReference(),
                config.at("passwordFile").fileOrReference());
    }

    /// What stands elsewhere is looked at when it is used.
    private static boolean namesDatabase(String url) {
        if (Secret.isReference(url)) return true;
        var behindPlace = url.substring(Math.max(url.lastIndexOf(')'), url.lastIndexOf('@')) + 1);
        return behindPlace.matches("(?s)[^?]*/[^?]+.*");
    }

    @Keys(
            """
            filestore.type | | local, in `--data-dir` | Required if `filestore` is written. The public `GCS` is refused. See [file stores](../guides/file-stores.md).
            """)
    private static Filestore filestore(Field filestore) {
        if (!filestore.isWritten()) return new Filestore.Unset();
        return filestore.section(
                Rules.LENIENT,
                fields -> {
                    var type =
                            fields.at("type")
                                    .requiredChoice(List.of("LOCAL", "S3", "MINIO"))
                                    .orElse("");
                    return fields.at("config").section(config -> filestore(type, config));
                });
    }

    @Keys(
            """
            filestore.config.path | | | `LOCAL`: the folder. Without `filestore` it is `files` in `--data-dir`.
            filestore.config.bucket, region | | | `S3`: which bucket, and where it is.
            filestore.config.profile, credentialsFile, roleARN, tokenFile | | what the machine offers | `S3`: who we are. `profile` is looked for in `credentialsFile`; a role needs its `tokenFile`.
            """)
    private static Filestore filestore(String type, Fields config) {
        return switch (type) {
            case "LOCAL" -> new Filestore.Local(config.at("path").required());
            case "S3" ->
                    new Filestore.S3(
                            config.at("bucket").required(),
                            config.at("region").required(),
                            new Filestore.AwsLogin(
                                    config.at("profile").text(),
                                    config.at("credentialsFile").text(),
                                    config.at("roleARN").text(),
                                    config.at("tokenFile").text()),
                            s3Options(config));
            case "MINIO" -> minio(config);
            default -> unread(config, new Filestore.Unset());
        };
    }

    @Keys(
            """
            filestore.config.endpoint | | AWS | `S3`: another server. Ours.
            filestore.config.pathStyle | | | `S3`: whether the bucket stands in the path. Ours.
            filestore.config.prefix | | | `S3`: what every key begins with. Ours.
            filestore.config.encryption | | the bucket's own | `S3`: encryption by the server. Ours.
            filestore.config.kmsKeyID | | the bucket's own | `S3`: the key of `aws:kms`. Ours.
            """)
    private static Filestore.S3Options s3Options(Fields config) {
        return new Filestore.S3Options(
                config.at("endpoint").text(),
                config.at("pathStyle").flag(false),
                config.at("prefix").text(),
                config.at("encryption").choice(List.of("AES256", "aws:kms")).orElse(""),
                config.at("kmsKeyID").text());
    }

    @Keys(
            """
            filestore.config.endpoint, bucket | | | `MINIO`: the server, and the bucket there.
            filestore.config.accessKeyFile, secretKeyFile | | what the machine offers | `MINIO`: who we are.
            filestore.config.autoCreateBucket | | | `MINIO`: make the bucket when it is missing.
            """)
    private static Filestore minio(Fields config) {
        return new Filestore.Minio(
                config.at("endpoint").required(),
                config.at("bucket").required(),
                config.at("accessKeyFile").fileOrReference(),
                config.at("secretKeyFile").fileOrReference(),
                config.at("autoCreateBucket").flag(false));
    }

    @Keys(
            """
            cache.ttl | | | How long the public server believes what it has in Redis. Without effect here, and warned of: what is asked for is read from the stores. Keep it for the way back.
            cache.address | | this process | Redis: `host:port`, `redis://…` or `rediss://user:password@host:port/db`. `--cache-address` comes first. Ours.
            cache.password | | | Redis: instead of one in the address. Ours.
            cache.caFile | path | the usual ones | Who vouches for the server of a `rediss://`, in PEM form. Ours.
            """)
    private static Cache cache(Fields cache) {
        var ttl = cache.at("ttl");
        if (ttl.isWritten())
            ttl.warn(
                    "%s (without effect: nothing is kept for a time only)"
                            .formatted(GoDuration.format(ttl.duration(Duration.ZERO))));
        return new Cache(
                cache.at("address").secret(),
                cache.at("password").secret(),
                cache.at("caFile").text());
    }

    /// Of an unknown type no key is known, so none is called unknown; the type is the mistake.
    private static <T> T unread(Fields config, T nothing) {
        config.skip();
        return nothing;
    }

    @Keys(
            """
            insightCollector.application.enabled, schedule | flag, cron | | When the public file of applications is written, in UTC; also `@hourly` and the like, `@every 90m`, and `TZ=Asia/Tokyo 0 9 * * *`.
            insightCollector.deployment.enabled, schedule, chunkMaxCount | flag, cron, number | | The same for completed deployments; how many a file holds.
            """)
    private static InsightCollector insightCollector(Fields insight) {
        return new InsightCollector(
                insight.at("application")
                        .section(one ->
                                new ApplicationInsight(
                                        one.at("enabled").flag(true),
                                        schedule(one.at("schedule"), "0 * * * *"))),
                insight.at("deployment")
                        .section(one ->
                                new DeploymentInsight(
                                        one.at("enabled").flag(true),
                                        schedule(one.at("schedule"), "30 * * * *"),
                                        one.at("chunkMaxCount")
                                                .count(1000, 0, Integer.MAX_VALUE))));
    }

    private static Cron schedule(Field field, String otherwise) {
        var text = field.text(otherwise);
        return Cron.parse(text)
                .or(() -> {
                    field.mistake(
                            "%s (expected: cron with five fields, such as \"%s\", or @every and a duration)"
                                    .formatted(Telling.quoted(text), otherwise));
                    return Cron.parse(otherwise);
                })
                .orElseThrow();
    }

    @Keys(
            """
            webhook.secret | | off | What Git servers prove themselves with. Without it, webhooks answer 404. Ours.
            """)
    private static Webhook webhook(Fields webhook) {
        return new Webhook(webhook.at("secret").secret());
    }

    @Keys(
            """
            ops.port | port | none | A server has the owner's pages on this port too: for SQLite, where there is no `pipecd ops`. Ours, as all of `ops`.
            ops.lostAfter | | never | How long an agent may be silent before its deployments are [lost](../guides/ops.md#agents-that-are-gone).
            ops.retention.deployments, stageLogs, events, commands | | for ever | How long what is over is [kept](../guides/ops.md#retention).
            """)
    private static Ops ops(Fields ops) {
        return new Ops(
                ops.at("owner").section(ControlPlaneReader::admin),
                ops.at("port").count(0, 0, 65_535),
                ops.at("lostAfter").durationIfAny(SHORTEST_SILENCE),
                ops.at("retention")
                        .section(kept ->
                                new Retention(
                                        kept.at("deployments").durationIfAny(SHORTEST_RETENTION),
                                        kept.at("stageLogs").durationIfAny(SHORTEST_RETENTION),
                                        kept.at("events").durationIfAny(SHORTEST_RETENTION),
                                        kept.at("commands").durationIfAny(SHORTEST_RETENTION))));
    }

    @Keys(
            """
            projects[].id | | | The tenant everything belongs to; once each, at most 50 characters.
            projects[].desc | | | What it is, in words.
            projects[].sharedSSOName | | none | Which of `sharedSSOConfigs` its people log in by. Ours.
            projects[].allowStrayAsViewer | | | People without any known group may look. Ours.
            """)
    private static Project project(Fields project, Once once, List<Field> chosen) {
        var id = project.at("id");
        var name = id.required();
        once.check(id, name);
        if (name.codePointCount(0, name.length()) > LONGEST_PROJECT)
            id.mistake(
                    "%s (expected: at most %d characters)"
                            .formatted(Telling.quoted(name), LONGEST_PROJECT));
        var sso = project.at("sharedSSOName");
        chosen.add(sso);
        return new Project(
                new ProjectId(name),
                project.at("desc").text(),
                project.at("staticAdmin").section(ControlPlaneReader::admin),
                sso.text(),
                project.at("allowStrayAsViewer").flag(false));
    }

    @Keys(
            """
            projects[].staticAdmin.username, passwordHash | text, secret (bcrypt) | none | The administrator who logs in by password.
            ops.owner.username, passwordHash | text, secret (bcrypt) | nobody | Who may open the [owner's pages](../guides/ops.md#the-owners-pages).
            """)
    private static StaticAdmin admin(Fields admin) {
        var username = admin.at("username").text();
        var hash = admin.at("passwordHash");
        var written = hash.hidden();
        // A server starts with it, as the public one does: there may be other ways to log in.
        if (!written.isEmpty()
                && !Secret.isReference(written)
                && !written.matches("(?s)\\$2[abxy]?\\$\\d\\d\\$.*"))
            hash.warn(Secret.MASK + " (no bcrypt hash: nobody can log in with it)");
        return new StaticAdmin(username, hash.secret());
    }
}
