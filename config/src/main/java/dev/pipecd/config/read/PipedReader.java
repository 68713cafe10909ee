// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.Additions;
import dev.pipecd.config.PipedConfig.Addresses;
import dev.pipecd.config.PipedConfig.EventWatcher;
import dev.pipecd.config.PipedConfig.Git;
import dev.pipecd.config.PipedConfig.GitCredentials;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.Identity;
import dev.pipecd.config.PipedConfig.Intervals;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.Password;
import dev.pipecd.config.PipedConfig.PlanPreview;
import dev.pipecd.config.PipedConfig.Repository;
import dev.pipecd.config.PipedConfig.SshKey;
import dev.pipecd.config.PipedConfig.Tools;
import dev.pipecd.config.PipedConfig.WatchedRepository;
import dev.pipecd.config.Secret;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.RepositoryId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The `spec` of a Piped document.
final class PipedReader {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TAKEN_OVER = Duration.ofMinutes(2);

    /// A network that hiccups must not make agents take turns.
    private static final Duration SOONEST = Duration.ofSeconds(5);

    private static final int MOST_STAGES = 1000;

    private PipedReader() {}

    @Keys(
            """
            syncInterval | | | How often repositories are looked at without a webhook.
            appConfigSyncInterval | | | How often application files are compared with what is registered. [Suggestions](../guides/live-state.md#suggestions).
            takeOverAfter | | | How long an agent must be silent until another one started with its id takes over. While the control plane is away, an agent begins new stages for half of it. [Two agents with one id](../guides/agent.md#two-agents-with-one-id). Ours.
            """)
    static PipedConfig read(Fields spec) {
        return new PipedConfig(
                identity(spec),
                addresses(spec),
                new Intervals(
                        spec.at("syncInterval").duration(MINUTE),
                        spec.at("appConfigSyncInterval").duration(MINUTE),
                        spec.at("takeOverAfter").duration(TAKEN_OVER, SOONEST)),
                spec.at("git").section(PipedReader::git),
                repositories(spec.at("repositories")),
                ProvidersReader.read(spec, PluginsReader.read(plugins(spec))),
                additions(spec));
    }

    /// `plugin` is what the plugin architecture's first document called the list.
    private static Field plugins(Fields spec) {
        var plugins = spec.at("plugins");
        var older = spec.at("plugin");
        if (plugins.isWritten() && older.isWritten())
            older.mistake("beside %s (expected: only one of the two)".formatted(plugins.path()));
        return older.isWritten() ? older : plugins;
    }

    @Keys(
            """
            tools.directory | a folder | | Looked into first when a plugin asks for a tool; files are named `NAME-VERSION`. Ours, as all of `tools`.
            tools.offline | | | Install scripts of plugins are never run.
            tools.checksums | | | By `NAME-VERSION`: `sha256:` and 64 digits the tool must have.
            """)
    private static Tools tools(Fields tools) {
        return new Tools(
                tools.at("directory").text(),
                tools.at("offline").flag(false),
                tools.at("checksums")
                        .pairs((spot, _, text) -> {
                            if (!PluginsReader.isChecksum(text))
                                spot.mistake(PluginsReader.noChecksum(text));
                        }));
    }

    @Keys(
            """
            projectID, pipedID | | | Who the agent is, as the control plane registered it.
            pipedKeyFile, pipedKeyData | | one is required | Its key.
            name | | | Accepted; the control plane knows the agent's name.
            """)
    private static Identity identity(Fields spec) {
        var project = new ProjectId(spec.at("projectID").required());
        var piped = new PipedId(spec.at("pipedID").required());
        var key = fileOrData(spec.at("pipedKeyFile"), spec.at("pipedKeyData"));
        if (!key.isSet())
            spec.at("pipedKeyFile").mistake("missing (expected: pipedKeyFile or pipedKeyData)");
        return new Identity(project, piped, key.stripped(), spec.at("name").text());
    }

    /// A path in one field or Base64 in the other, not both.
    private static Secret fileOrData(Field file, Field data) {
        var inFile = file.file();
        var inData = data.base64();
        if (inFile.isSet() && inData.isSet())
            data.mistake("beside %s (expected: only one of the two)".formatted(file.path()));
        return inFile.isSet() ? inFile : inData;
    }

    @Keys(
            """
            apiAddress | host:port | | The control plane.
            webAddress | URL | as the control plane says | Where links in notifications lead.
            """)
    private static Addresses addresses(Fields spec) {
        var api = spec.at("apiAddress");
        var address = api.required();
        if (!address.matches(".*:\\d{1,5}") && !address.equals("missing"))
            api.warn("%s (expected: host:port)".formatted(Telling.quoted(address)));
        return new Addresses(address, spec.at("webAddress").text());
    }

    @Keys(
            """
            git.username | | | Who the agent is to https servers, and the author of its commits; a password needs a written one.
            git.password | | | Sent to https servers; a token is a password too. [Git access](../guides/agent.md#git-access).
            git.host | | | The SSH host the key is for. If it is written, the password is sent to that host only.
            git.hostName | | `host`, so `github.com` | The true name of that host.
            git.sshKeyFile, sshKeyData | | the keys of the agent's user | A private key without passphrase, one of the two; not together with `password`.
            git.sshConfigFilePath | path | `~/.ssh/config` | Settings of SSH, read after ours and never written.
            git.knownHostsFile | path | `~/.ssh/known_hosts` | The host keys that are believed. Ours.
            git.acceptNewHostKeys | | | Believe a host at its first answer, and remember its key in `git/known_hosts` of the data directory; a key that changes is refused all the same. Ours.
            git.email | | | With `git.username`, the author of commits the agent makes for [events](../guides/event-watcher.md).
            """)
    private static Git git(Fields git) {
        var host = git.at("host").text("github.com");
        var key = fileOrData(git.at("sshKeyFile"), git.at("sshKeyData"));
        var password = git.at("password");
        var credentials = credentials(key, password, git.at("host"));
        if (credentials instanceof Password && git.at("username").text().isEmpty())
            git.at("username").mistake("missing (expected: text, as there is a password)");
        return new Git(
                git.at("username").text("piped"),
                git.at("email").text("pipecd.dev@gmail.com"),
                git.at("sshConfigFilePath").hidden(),
                host,
                git.at("hostName").text(host),
                new HostKeys(
                        git.at("knownHostsFile").text(), git.at("acceptNewHostKeys").flag(false)),
                credentials);
    }

    private static GitCredentials credentials(Secret key, Field password, Field host) {
        var secret = password.base64();
        if (key.isSet() && secret.isSet())
            password.mistake("beside an SSH key (expected: only one of the two)");
        if (key.isSet()) return new SshKey(key);
        return secret.isSet() ? new Password(secret, host.text()) : new NoCredentials();
    }

    @Keys(
            """
            repositories[].repoId, remote, branch | | | What is watched; `repoId` once each.
            repositories[].depth | number | all | How many commits of each branch are cloned at first: [a part of history](../guides/agent.md#a-part-of-history). Counts when the mirror is made. Ours.
            """)
    private static List<Repository> repositories(Field repositories) {
        var once = new Once("repository");
        return repositories.each(one -> {
            var repoId = one.at("repoId");
            var id = repoId.required();
            once.check(repoId, id);
            return new Repository(
                    new RepositoryId(id),
                    one.at("remote").remote(),
                    one.at("branch").required(),
                    one.at("depth").count(0, 0, 1_000_000));
        });
    }

    @Keys(
            """
            maxRunningStages | | | How many stages of all plugins run at once. Ours.
            appSelector | | | Only application files with all of these labels are suggested for registration.
            """)
    private static Additions additions(Fields spec) {
        return new Additions(
                spec.at("notifications").section(NotificationsReader::read),
                secretManagement(spec.at("secretManagement")),
                spec.at("eventWatcher").section(PipedReader::eventWatcher),
                spec.at("planPreview").section(PipedReader::planPreview),
                spec.at("appSelector").pairs(),
                spec.at("tools").section(PipedReader::tools),
                spec.at("maxRunningStages").count(MOST_STAGES, 0, 100_000));
    }

    @Keys(
            """
            secretManagement.type | | none | What the agent opens [sealed secrets](../guides/secrets.md) with. Required if `secretManagement` is written. `GCP_KMS` is read and then refused at start.
            """)
    private static SecretManagement secretManagement(Field management) {
        if (!management.isWritten()) return new SecretManagement.Unset();
        return management.section(fields -> {
            var type = fields.at("type").requiredChoice(List.of("KEY_PAIR", "GCP_KMS"));
            if (type.equals(Optional.of("GCP_KMS")))
                fields.at("type")
                        .warn("\"GCP_KMS\" (the agent does not start with it; expected: KEY_PAIR)");
            return fields.at("config").section(config -> secretManagement(type.orElse(""), config));
        });
    }

    @Keys(
            """
            secretManagement.config.privateKeyFile, privateKeyData | | one is required | `KEY_PAIR`: an RSA key in PEM.
            secretManagement.config.publicKeyFile, publicKeyData | | one is required | `KEY_PAIR`: its other half.
            secretManagement.config.keyName | | | `GCP_KMS`: refused at start.
            secretManagement.config.decryptServiceAccountFile, encryptServiceAccountFile | | | `GCP_KMS`: refused at start.
            """)
    private static SecretManagement secretManagement(String type, Fields config) {
        return switch (type) {
            case "KEY_PAIR" -> {
                var privateKey =
                        fileOrData(config.at("privateKeyFile"), config.at("privateKeyData"));
                var publicKey = fileOrData(config.at("publicKeyFile"), config.at("publicKeyData"));
                if (!privateKey.isSet())
                    config.at("privateKeyFile")
                            .mistake("missing (expected: privateKeyFile or privateKeyData)");
                if (!publicKey.isSet())
                    config.at("publicKeyFile")
                            .mistake("missing (expected: publicKeyFile or publicKeyData)");
                yield new SecretManagement.KeyPair(privateKey, publicKey);
            }
            case "GCP_KMS" ->
                    new SecretManagement.GcpKms(
                            config.at("keyName").required(),
                            requiredFile(config.at("decryptServiceAccountFile")),
                            requiredFile(config.at("encryptServiceAccountFile")));
            default -> {
                config.skip();
                yield new SecretManagement.Unset();
            }
        };
    }

    private static Secret requiredFile(Field file) {
        file.requireText("a path");
        return file.file();
    }

    @Keys(
            """
            eventWatcher.checkInterval | | | How often [events](../guides/event-watcher.md) are asked for.
            eventWatcher.gitRepos[].repoId | | | A repository whose files of `.pipe` watch for some; once each.
            eventWatcher.gitRepos[].commitMessage | | one that names the event | What their commits say.
            eventWatcher.gitRepos[].includes, excludes | patterns | all files | Which files of `.pipe`.
            """)
    private static EventWatcher eventWatcher(Fields watcher) {
        var once = new Once("repository");
        return new EventWatcher(
                watcher.at("checkInterval").duration(MINUTE),
                watcher.at("gitRepos")
                        .each(one -> {
                            var repoId = one.at("repoId");
                            var id = repoId.required();
                            once.check(repoId, id);
                            return new WatchedRepository(
                                    new RepositoryId(id),
                                    one.at("commitMessage").text(),
                                    one.at("includes").texts(),
                                    one.at("excludes").texts());
                        }));
    }

    @Keys(
            """
            planPreview.workerNum, commandHandleTimeout | | | How many previews are made at once, and how long one may take when whoever asks does not say. [Plan preview](../guides/plan-preview.md).
            planPreview.commandQueueBufferSize, commandCheckInterval | | | Accepted, without effect: orders wait in order, and arrive by the link.
            """)
    private static PlanPreview planPreview(Fields preview) {
        return new PlanPreview(
                preview.at("workerNum").count(3, 0, 1000),
                preview.at("commandQueueBufferSize").count(10, 0, 1_000_000),
                preview.at("commandCheckInterval").duration(Duration.ofSeconds(5)),
                preview.at("commandHandleTimeout").duration(Duration.ofMinutes(5)));
    }
}
