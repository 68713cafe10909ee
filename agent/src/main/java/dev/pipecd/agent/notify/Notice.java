// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import java.time.Instant;

/// An event on its way to one or more receivers.
///
/// @param id the same in each attempt, so that a receiver can tell a repetition
record Notice(String id, Event event, Instant at) {
    private static final int AROUND = 500;

    /// About how many bytes it holds while it waits.
    int weight() {
        return AROUND
                + switch (event) {
                    case Event.OfDeployment e -> e.deployment().getSerializedSize();
                    case Event.OfStage e -> e.deployment().getSerializedSize();
                    case Event.DeploymentTriggerFailed e ->
                            e.application().getSerializedSize()
                                    + e.message().length()
                                    + e.reason().length();
                    case Event.OfApplication e -> e.application().getSerializedSize();
                    case Event.OfPiped _ -> 0;
                };
    }
}
