// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.door;

import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;

/// Ids as they come in by the doors.
public final class Ids {
    private Ids() {}

    public static ApplicationId application(String id) {
        return new ApplicationId(given("application_id", id));
    }

    public static DeploymentId deployment(String id) {
        return new DeploymentId(given("deployment_id", id));
    }

    public static StageId stage(String id) {
        return new StageId(given("stage_id", id));
    }

    public static PipedId piped(String id) {
        return new PipedId(given("piped_id", id));
    }

    public static CommandId command(String id) {
        return new CommandId(given("command_id", id));
    }

    /// Refuses an id that is not there, whether or not a rule of the message demands it.
    public static String given(String name, String id) {
        if (id.isBlank())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    name + ": \"\" (expected: an id)",
                    "Name what is meant.");
        return id;
    }
}
