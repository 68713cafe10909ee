// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.time.Instant;
import java.util.Map;

/// The deployment a stage belongs to.
public record DeploymentFacts(String id, Application application, Trigger trigger, String summary) {

    public record Application(
            String id,
            String name,
            String project,
            String repositoryUrl,
            Map<String, String> labels) {
        public Application {
            labels = Map.copyOf(labels);
        }
    }

    /// What set it off: `person` is empty when it was a commit.
    public record Trigger(String commit, String person, Instant at) {}
}
