// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.engine;

import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.DeploymentState;
import java.util.List;

/// What an observation leads to: events to record first, then effects to perform.
public record Decision(DeploymentState state, List<DeploymentEvent> events, List<Effect> effects) {
    public Decision {
        events = List.copyOf(events);
        effects = List.copyOf(effects);
    }
}
