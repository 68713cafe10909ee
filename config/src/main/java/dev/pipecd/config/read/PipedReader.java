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

    private static Identity identity(Fields spec) {
        var key = fileOrData(spec.at("pipedKeyFile"), spec.at("pipedKeyData"));
        if (!key.isSet())
            spec.at("pipedKeyFile").mistake("missing (expected: pipedKeyFile or pipedKeyData)");
        return new Identity(
                new ProjectId(spec.at("projectID").required()),
                new PipedId(spec.at("pipedID").required()),
                key.stripped(),
                spec.at("name").text());
    }

    /// A path in one field or Base64 in the other, not both.
    private static Secret fileOrData(Field file, Field data) {
        var inFile = file.file();
        var inData = data.base64();
        if (inFile.isSet() && inData.isSet())
            data.mistake("beside %s (expected: only one of the two)".formatted(file.path()));
        return inFile.isSet() ? inFile : inData;
    }

    private static Addresses addresses(Fields spec) {
        var api = spec.at("apiAddress");
        var address = api.required();
        if (!address.matches(".*:\\d{1,5}") && !address.equals("missing"))
            api.warn("%s (expected: host:port)".formatted(Telling.quoted(address)));
        return new Addresses(address, spec.at("webAddress").text());
    }

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

    private static PlanPreview planPreview(Fields preview) {
        return new PlanPreview(
                preview.at("workerNum").count(3, 0, 1000),
                preview.at("commandQueueBufferSize").count(10, 0, 1_000_000),
                preview.at("commandCheckInterval").duration(Duration.ofSeconds(5)),
                preview.at("commandHandleTimeout").duration(Duration.ofMinutes(5)));
    }
}
