// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.domain.RepositoryId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// `kind: Piped`: who the agent is, whom it reports to, what it watches and what it can deploy
/// with. Texts are empty when not written.
public record PipedConfig(
        Identity identity,
        Addresses addresses,
        Intervals intervals,
        Git git,
        List<Repository> repositories,
        List<Plugin> plugins,
        Additions additions) {
    public PipedConfig {
        repositories = List.copyOf(repositories);
        plugins = List.copyOf(plugins);
    }

    public Optional<Repository> repository(RepositoryId id) {
        return repositories.stream().filter(repository -> repository.id().equals(id)).findFirst();
    }

    public Optional<Plugin> plugin(String name) {
        return plugins.stream().filter(plugin -> plugin.name().equals(name)).findFirst();
    }

    /// With a cluster of the old form that nobody wrote down: the one the agent itself runs in.
    public PipedConfig withDefaultKubernetes() {
        var target =
                new DeployTarget(
                        "kubernetes-default", Map.of(), NullNode.getInstance(), "KUBERNETES");
        var all = new ArrayList<>(plugins);
        var serving = plugins.stream().filter(plugin -> plugin.serves("kubernetes")).findFirst();
        var before = serving.orElseGet(() -> Plugin.builtin("kubernetes"));
        if (before.hasTarget(target.name())) return this;
        all.remove(before);
        all.add(before.with(List.of(target), before.config()));
        return new PipedConfig(identity, addresses, intervals, git, repositories, all, additions);
    }

    /// The key is decoded and trimmed when revealed, whether it came from a file or from the
    /// document.
    public record Identity(ProjectId projectId, PipedId pipedId, Secret key, String name) {}

    /// `api` is host:port of the control plane, `web` the URL people see in links.
    public record Addresses(String api, String web) {}

    /// `takeOver` is how long an agent must be silent until another with its id acts.
    public record Intervals(Duration sync, Duration appConfigSync, Duration takeOver) {}

    /// An empty `sshConfigFilePath` is the user's own.
    public record Git(
            String username,
            String email,
            String sshConfigFilePath,
            String host,
            String hostName,
            HostKeys hostKeys,
            GitCredentials credentials) {}

    /// Which SSH hosts are believed; an empty `knownHostsFile` is the user's own. `acceptNew`
    /// believes a host at its first answer and remembers its key.
    public record HostKeys(String knownHostsFile, boolean acceptNew) {}

    /// How the agent proves itself to Git servers.
    public sealed interface GitCredentials {}

    public record NoCredentials() implements GitCredentials {}

    public record SshKey(Secret key) implements GitCredentials {}

    /// An empty `onlyFor` is every host of a repository.
    public record Password(Secret password, String onlyFor) implements GitCredentials {}

    /// `depth` is how many commits of each branch are cloned; 0 is all.
    public record Repository(RepositoryId id, String remote, String branch, int depth) {}

    /// `url` is never empty: a plugin without one is the built-in of its name; without a scheme it
    /// is a path. Port 0 is any free port. `config` is a JSON null when not written.
    public record Plugin(
            String name,
            String url,
            int port,
            JsonNode config,
            List<DeployTarget> deployTargets,
            Origin origin,
            Running running) {
        public static final Duration FETCHED_WITHIN = Duration.ofMinutes(5);
        public static final int MOST_STAGES = 500;
        private static final String BUILTIN = "builtin:";
        private static final Pattern NAME =
                Pattern.compile("[^/\\\\.\\p{Cntrl}][^/\\\\\\p{Cntrl}]*");
        private static final int LONGEST_NAME = 200;

        public Plugin {
            deployTargets = List.copyOf(deployTargets);
        }

        /// The built-in of this name as it is when nobody writes more about it.
        public static Plugin builtin(String name) {
            return new Plugin(
                    name,
                    BUILTIN + name,
                    0,
                    NullNode.getInstance(),
                    List.of(),
                    new Origin("", "", Secret.none(), FETCHED_WITHIN),
                    new Running(MOST_STAGES, false));
        }

        /// A built-in that nobody named, for files older than plugins.
        public static Plugin standIn(String name) {
            var named = builtin(name);
            return new Plugin(
                    name,
                    named.url,
                    named.port,
                    named.config,
                    named.deployTargets,
                    named.origin,
                    new Running(MOST_STAGES, false, true));
        }

        /// With more targets, and told something else.
        public Plugin with(List<DeployTarget> more, JsonNode told) {
            var targets = new ArrayList<>(deployTargets);
            targets.addAll(more);
            return new Plugin(name, url, port, told, targets, origin, running);
        }

        /// Whether a plugin may be called so: files and folders get its name, with something behind
        /// it.
        public static boolean isName(String name) {
            return NAME.matcher(name).matches()
                    && name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME;
        }

        /// Whether applications of this platform are its business.
        public boolean serves(String platform) {
            return PlatformNames.plain(name).equals(platform)
                    || builtin().filter(platform::equals).isPresent();
        }

        public boolean hasTarget(String target) {
            return deployTargets.stream().anyMatch(one -> one.name().equals(target));
        }

        /// Its `url` for people to see.
        public String shownUrl() {
            return withoutSignature(url);
        }

        /// Behind the question mark of an address may stand what opens it to everybody.
        public static String withoutSignature(String url) {
            return url.replaceFirst("\\?.*", "");
        }

        /// Without what the plugin is told, which may hold secrets.
        @Override
        public String toString() {
            return "Plugin[name=%s, url=%s, port=%d, deployTargets=%s]"
                    .formatted(name, shownUrl(), port, deployTargets);
        }

        /// The plain name of the built-in plugin meant, if one is.
        public Optional<String> builtin() {
            return url.startsWith(BUILTIN)
                    ? Optional.of(PlatformNames.plain(url.substring(BUILTIN.length())))
                    : Optional.empty();
        }
    }

    /// What a fetched program must be, and how it is asked for; `checksum` is its SHA-256 in
    /// hexadecimal digits, empty when anything is welcome.
    public record Origin(String checksum, String username, Secret password, Duration timeout) {}

    /// How many of its stages run at once, whether a built-in gets a process of its own, and
    /// whether nobody named it: then it leaves its stages to a plugin that somebody did.
    public record Running(int maxStages, boolean isolate, boolean standsIn) {
        public Running(int maxStages, boolean isolate) {
            this(maxStages, isolate, false);
        }
    }

    /// `config` is a JSON null when not written; `providerType` is empty unless it was written as a
    /// provider of a platform, which is older than plugins.
    public record DeployTarget(
            String name, Map<String, String> labels, JsonNode config, String providerType) {
        public DeployTarget {
            labels = Map.copyOf(labels);
        }

        public DeployTarget(String name, Map<String, String> labels, JsonNode config) {
            this(name, labels, config, "");
        }

        /// Without what the plugin is told, which may hold secrets.
        @Override
        public String toString() {
            return "DeployTarget[name=%s, labels=%s]".formatted(name, labels);
        }
    }

    /// What most agents do without.
    public record Additions(
            Notifications notifications,
            SecretManagement secretManagement,
            EventWatcher eventWatcher,
            PlanPreview planPreview,
            Map<String, String> appSelector,
            Tools tools,
            int maxRunningStages) {
        public Additions {
            appSelector = Map.copyOf(appSelector);
        }
    }

    public record EventWatcher(Duration checkInterval, List<WatchedRepository> repositories) {
        public EventWatcher {
            repositories = List.copyOf(repositories);
        }
    }

    /// Patterns are relative to `.pipe`.
    public record WatchedRepository(
            RepositoryId id, String commitMessage, List<String> includes, List<String> excludes) {
        public WatchedRepository {
            includes = List.copyOf(includes);
            excludes = List.copyOf(excludes);
        }
    }

    public record PlanPreview(
            int workers,
            int commandQueueBufferSize,
            Duration commandCheckInterval,
            Duration commandHandleTimeout) {}

    /// The programs plugins ask for: `directory` is looked into first, `checksums` are by
    /// NAME-VERSION.
    public record Tools(String directory, boolean offline, Map<String, String> checksums) {
        public Tools {
            checksums = Map.copyOf(checksums);
        }
    }
}
