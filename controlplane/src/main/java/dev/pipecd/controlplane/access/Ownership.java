// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.Problem;

/// Whose a thing is. To people another project's thing does not exist; an agent is told that it is
/// not its own.
public final class Ownership {
    private Ownership() {}

    public static Problem notFound(String what, String id) {
        return new Problem(
                Problem.Code.NOT_FOUND,
                "%s: %s is unknown (expected: one of this project)".formatted(what, id),
                "Check the id; a list shows the ones there are.");
    }

    public static void ofProject(Caller caller, String project, String what, String id) {
        if (!caller.project().value().equals(project)) throw notFound(what, id);
    }

    /// To an agent another project's thing does not exist either; of its own project it is told.
    public static void ofAgent(Caller.Agent agent, Owner owner, String what, String id) {
        ofProject(agent, owner.project(), what, id);
        if (!agent.piped().value().equals(owner.piped()))
            throw new Problem(
                    Problem.Code.PERMISSION_DENIED,
                    "%s: %s belongs to another piped (expected: one of %s)"
                            .formatted(what, id, agent.piped()),
                    "Report only what this agent was given.");
    }

    /// Whose a stored thing is, by ids.
    public record Owner(String project, String piped) {}
}
