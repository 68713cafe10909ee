// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.KeyMatches;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ProjectStaticUser;

/// The administrator who logs in by password: renamed, given another password, switched off and on.
/// Sessions opened with what was before end with it.
public final class StaticAdmins {
    private static final int LONGEST_PASSWORD = 72; // what bcrypt looks at

    private final Projects projects;
    private final SessionEnds sessions;

    public StaticAdmins(Projects projects, SessionEnds sessions) {
        this.projects = projects;
        this.sessions = sessions;
    }

    public void update(Caller caller, String username, String password) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        if (projects.isOfFile(caller.project()))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "static admin: of the configuration file (expected: one that is stored)",
                    "Change `projects` in the control plane's configuration file.");
        var length = password.getBytes(UTF_8).length;
        if (length > LONGEST_PASSWORD)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "password: %d bytes (expected: at most %d)".formatted(length, LONGEST_PASSWORD),
                    "Choose a shorter one.");
        var admin =
                ProjectStaticUser.newBuilder()
                        .setUsername(username)
                        .setPasswordHash(KeyMatches.hash(password))
                        .build();
        sessions.endUnsaid(caller.project(), caller.name());
        projects.update(
                caller.project(),
                caller.name(),
                project ->
                        new Edit.Changed<>(
                                project.toBuilder().setStaticAdmin(admin).build(),
                                "static admin changed"));
    }

    public void enable(Caller caller) {
        setDisabled(caller, false);
    }

    public void disable(Caller caller) {
        setDisabled(caller, true);
    }

    private void setDisabled(Caller caller, boolean disabled) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        if (disabled) sessions.endUnsaid(caller.project(), caller.name());
        projects.update(
                caller.project(),
                caller.name(),
                project ->
                        project.getStaticAdminDisabled() == disabled
                                ? new Edit.Unchanged<>()
                                : new Edit.Changed<>(
                                        project.toBuilder()
                                                .setStaticAdminDisabled(disabled)
                                                .build(),
                                        disabled
                                                ? "static admin disabled"
                                                : "static admin enabled"));
    }
}
