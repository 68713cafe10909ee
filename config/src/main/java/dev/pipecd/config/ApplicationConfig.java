// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `kind: Application`: how one application is deployed, as the file beside its manifests says.
/// Texts are empty when not written.
public record ApplicationConfig(
        About about,
        Planner planner,
        List<Stage> stages,
        Trigger trigger,
        Duration timeout,
        Map<String, JsonNode> plugins,
        Additions additions) {
    public static final String FILE_NAME = "app.pipecd.yaml";
    private static final String FILE_SUFFIX = ".pipecd.yaml";
    private static final String OLD_FILE_NAME = ".pipe.yaml";

    public ApplicationConfig {
        stages = List.copyOf(stages);
        // In the order written: who reads it decides by the first one.
        plugins = Collections.unmodifiableMap(new LinkedHashMap<>(plugins));
    }

    /// Whether a file of this name (without folders) is an application's configuration.
    public static boolean isFileName(String name) {
        return name.endsWith(FILE_SUFFIX) || name.equals(OLD_FILE_NAME);
    }

    public String name() {
        return about.name();
    }

    /// The last five are the old kinds, one for each platform there was.
    public enum Kind {
        APPLICATION("Application", ""),
        KUBERNETES_APP("KubernetesApp", "kubernetes"),
        TERRAFORM_APP("TerraformApp", "terraform"),
        LAMBDA_APP("LambdaApp", "lambda"),
        CLOUD_RUN_APP("CloudRunApp", "cloudrun"),
        ECS_APP("ECSApp", "ecs");

        private final String written;
        private final String platform;

        Kind(String written, String platform) {
            this.written = written;
            this.platform = platform;
        }

        /// Empty when the kind alone does not tell.
        public String platform() {
            return platform;
        }

        public String written() {
            return written;
        }

        public static List<String> all() {
            return Arrays.stream(values()).map(Kind::written).toList();
        }
    }

    /// `platform` is what kind or label say the application runs on, as its plugin is called; empty
    /// when neither does.
    public record About(
            Kind kind,
            String platform,
            String name,
            String description,
            Map<String, String> labels) {
        public About {
            labels = Map.copyOf(labels);
        }
    }

    /// `newestOnly` gives up deployments that still wait when a newer one comes.
    public record Planner(
            boolean alwaysUsePipeline,
            boolean autoRollback,
            boolean newestOnly,
            CommitMatcher commitMatcher) {}

    /// RE2 patterns looked for in the first line of the commit message.
    public record CommitMatcher(String pipeline, String quickSync) {}

    /// `with` is the plugin's business.
    public record Stage(
            String name, String desc, Duration timeout, ObjectNode with, SkipOn skipOn) {}

    public record SkipOn(List<String> commitMessagePrefixes, List<String> paths) {
        public SkipOn {
            commitMessagePrefixes = List.copyOf(commitMessagePrefixes);
            paths = List.copyOf(paths);
        }
    }

    public record Trigger(
            OnCommit onCommit, OnCommand onCommand, OnOutOfSync onOutOfSync, OnChain onChain) {}

    /// `ignoresByCommit` is the public rule: one ignored file, and the whole commit does not count.
    public record OnCommit(
            boolean disabled, List<String> paths, List<String> ignores, boolean ignoresByCommit) {
        public OnCommit {
            paths = List.copyOf(paths);
            ignores = List.copyOf(ignores);
        }
    }

    public record OnCommand(boolean disabled) {}

    public record OnOutOfSync(boolean disabled, Duration minWindow) {}

    public record OnChain(boolean disabled) {}

    /// What most applications do without.
    public record Additions(
            List<ChainLink> postSyncChain,
            Encryption encryption,
            Attachment attachment,
            List<Mention> mentions,
            List<EventWatch> eventWatcher,
            List<String> driftIgnoreFields,
            Source source) {
        public Additions {
            postSyncChain = List.copyOf(postSyncChain);
            mentions = List.copyOf(mentions);
            eventWatcher = List.copyOf(eventWatcher);
            driftIgnoreFields = List.copyOf(driftIgnoreFields);
        }
    }

    /// What plugins are given of the repository besides the application's folder: `paths` from its
    /// root, and with `references` what its files refer to.
    public record Source(List<String> paths, boolean references) {
        public Source {
            paths = List.copyOf(paths);
        }
    }

    /// Which applications are deployed after this one.
    public record ChainLink(String name, String kind, Map<String, String> labels) {
        public ChainLink {
            labels = Map.copyOf(labels);
        }
    }

    /// The secrets are ciphertext.
    public record Encryption(Map<String, String> encryptedSecrets, List<String> decryptionTargets) {
        public Encryption {
            encryptedSecrets = Map.copyOf(encryptedSecrets);
            decryptionTargets = List.copyOf(decryptionTargets);
        }
    }

    public record Attachment(Map<String, String> sources, List<String> targets) {
        public Attachment {
            sources = Map.copyOf(sources);
            targets = List.copyOf(targets);
        }
    }

    /// `event` is `*` or one of `Notifications.EVENTS`.
    public record Mention(String event, List<String> slackUsers, List<String> slackGroups) {
        public Mention {
            slackUsers = List.copyOf(slackUsers);
            slackGroups = List.copyOf(slackGroups);
        }
    }

    public record EventWatch(
            String name, Map<String, String> labels, String handlerType, EventUpdate update) {
        public EventWatch {
            labels = Map.copyOf(labels);
        }
    }

    public record EventUpdate(
            String commitMessage, boolean makePullRequest, List<Replacement> replacements) {
        public EventUpdate {
            replacements = List.copyOf(replacements);
        }
    }

    public record Replacement(
            String file, String yamlField, String jsonField, String hclField, String regex) {}
}
