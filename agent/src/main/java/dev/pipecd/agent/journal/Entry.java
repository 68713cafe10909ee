// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.journal;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import java.time.Instant;
import java.util.Map;

/// One thing the agent must not forget.
public sealed interface Entry {
    /// The deployment's public document as it stands after planning or at creation; the latest one
    /// counts.
    ///
    /// @param document a serialised `model.Deployment`
    record Sheet(DeploymentId deployment, byte[] document) implements Entry {}

    record Moved(DeploymentId deployment, DeploymentEvent event, Instant at) implements Entry {}

    /// What a plugin or the agent noted down. `scope` is `stage:<id>` or `plugin:<name>`.
    record Noted(DeploymentId deployment, String scope, Map<String, String> values)
            implements Entry {
        public Noted {
            values = Map.copyOf(values);
        }
    }

    /// What was told of it before no longer counts: another agent went on with it.
    record Forgotten(DeploymentId deployment) implements Entry {}

    /// A report that has to reach the control plane.
    ///
    /// @param lane reports of one lane arrive in order
    /// @param call the name of the RPC
    record Queued(long number, String lane, String call, byte[] body) implements Entry {}

    /// The control plane has it, or need not have it any more.
    record Delivered(long number) implements Entry {}

    /// The control plane refuses it for good; kept so that people can see it, and never sent again.
    record Parked(long number, String lane, String call, String reason, Instant at)
            implements Entry {}
}
