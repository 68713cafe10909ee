// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectRBACRole;
import dev.pipecd.wire.model.ProjectStaticUser;

/// What people may know of the project they are logged in to.
public final class OwnProject {
    private final Projects projects;

    public OwnProject(Projects projects) {
        this.projects = projects;
    }

    /// Without anything secret.
    public Project get(Caller caller) {
        caller.require(Resource.PROJECT, Action.GET);
        var project =
                projects.find(caller.project())
                        .orElseThrow(() -> Ownership.notFound("project", caller.project().value()));
        var told =
                Project.newBuilder()
                        .setId(project.id().value())
                        .setDesc(project.description())
                        .setStaticAdmin(
                                ProjectStaticUser.newBuilder()
                                        .setUsername(project.adminUsername())
                                        .setPasswordHash("redacted"));
        for (var role : BuiltInRole.values())
            told.addRbacRoles(
                    ProjectRBACRole.newBuilder().setName(role.roleName()).setIsBuiltin(true));
        return told.build();
    }

    /// Refuses those who may not even know where they are.
    public Caller me(Caller caller) {
        caller.require(Resource.PROJECT, Action.GET);
        return caller;
    }
}
