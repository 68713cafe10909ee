// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.domain.deployment.Plan;
import dev.pipecd.wire.model.Deployment;

/// Turns a pending deployment into a plan. Throws a `Problem` that people can read when it cannot.
@FunctionalInterface
public interface Planning {
    Planned plan(Deployment pending) throws InterruptedException;

    /// @param sheet the public document with stages, versions, strategy and summary filled in
    record Planned(Plan plan, Deployment sheet) {}
}
