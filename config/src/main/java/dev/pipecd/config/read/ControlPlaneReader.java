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
import dev.pipecd.config.read.Fields.Rules;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.List;

/// The `spec` of a ControlPlane document.
final class ControlPlaneReader {
    private static final Duration SHORTEST_SILENCE = Duration.ofMinutes(10);

    /// Agents look at a day of events, and commands live for one.
    private static final Duration SHORTEST_RETENTION = Duration.ofHours(48);

    private ControlPlaneReader() {}

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
        return new ControlPlaneConfig(
                spec.at("address").text(),
                new Storage(
                        datastore(spec.at("datastore")),
                        filestore(spec.at("filestore")),
                        spec.at("cache").section(ControlPlaneReader::cache)),
                spec.at("insightCollector").section(ControlPlaneReader::insightCollector),
                spec.at("projects").each(project -> project(project, once)),
                new Login(
                        spec.at("stateKey").secret(),
                        spec.at("sharedSSOConfigs")
                                .each(Rules.STRICT_OR_SNAKE_CASE, SharedSsoReader::read)),
                spec.at("webhook").section(webhook -> new Webhook(webhook.at("secret").secret())),
                spec.at("ops").section(ControlPlaneReader::ops));
    }

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

    private static Datastore datastore(String type, Fields config) {
        return switch (type) {
            case "SQLITE" -> new Datastore.Sqlite(config.at("path").required());
            case "MYSQL" -> new Datastore.MySql(server(config));
            case "MARIADB" -> new Datastore.MariaDb(server(config));
            default -> unread(config, new Datastore.Unset());
        };
    }

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
            case "MINIO" ->
                    new Filestore.Minio(
                            config.at("endpoint").required(),
                            config.at("bucket").required(),
                            config.at("accessKeyFile").fileOrReference(),
                            config.at("secretKeyFile").fileOrReference(),
                            config.at("autoCreateBucket").flag(false));
            default -> unread(config, new Filestore.Unset());
        };
    }

    private static Filestore.S3Options s3Options(Fields config) {
        return new Filestore.S3Options(
                config.at("endpoint").text(),
                config.at("pathStyle").flag(false),
                config.at("prefix").text(),
                config.at("encryption").choice(List.of("AES256", "aws:kms")).orElse(""),
                config.at("kmsKeyID").text());
    }

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

    private static Ops ops(Fields ops) {
        return new Ops(
                ops.at("owner").section(ControlPlaneReader::admin),
                ops.at("port").count(0, 0, 65_535),
                atLeast(ops.at("lostAfter"), SHORTEST_SILENCE),
                ops.at("retention")
                        .section(kept ->
                                new Retention(
                                        atLeast(kept.at("deployments"), SHORTEST_RETENTION),
                                        atLeast(kept.at("stageLogs"), SHORTEST_RETENTION),
                                        atLeast(kept.at("events"), SHORTEST_RETENTION),
                                        atLeast(kept.at("commands"), SHORTEST_RETENTION))));
    }

    /// What is too short deletes or ends what is still needed.
    private static Duration atLeast(Field field, Duration least) {
        var length = field.duration(Duration.ZERO);
        if (!length.isZero() && length.compareTo(least) < 0)
            field.mistake(
                    "%s (expected: at least %s, or nothing)"
                            .formatted(GoDuration.format(length), GoDuration.format(least)));
        return length;
    }

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

    private static Project project(Fields project, Once once) {
        var id = project.at("id");
        var name = id.required();
        once.check(id, name);
        return new Project(
                new ProjectId(name),
                project.at("desc").text(),
                project.at("staticAdmin").section(ControlPlaneReader::admin),
                project.at("sharedSSOName").text(),
                project.at("allowStrayAsViewer").flag(false));
    }
}
