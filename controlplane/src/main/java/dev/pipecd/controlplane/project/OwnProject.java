// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Redacted;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectSSOConfig;

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
        var told = project.toBuilder().clearRbacRoles().clearUserGroups();
        for (var role : BuiltInRole.values()) told.addRbacRoles(RoleBook.shown(role));
        told.addAllRbacRoles(project.getRbacRolesList());
        told.addAllUserGroups(RoleBook.groups(project));
        if (project.hasStaticAdmin()) told.getStaticAdminBuilder().setPasswordHash(Redacted.TEXT);
        if (project.hasSso()) told.setSso(redacted(project.getSso()));
        return told.build();
    }

    private static ProjectSSOConfig redacted(ProjectSSOConfig sso) {
        var told = sso.toBuilder();
        if (sso.hasGithub())
            told.getGithubBuilder()
                    .setClientId(Redacted.TEXT)
                    .setClientSecret(Redacted.TEXT)
                    .setProxyUrl(Redacted.url(sso.getGithub().getProxyUrl()));
        if (sso.hasGoogle())
            told.getGoogleBuilder().setClientId(Redacted.TEXT).setClientSecret(Redacted.TEXT);
        if (sso.hasOidc())
            told.getOidcBuilder()
                    .setClientId(Redacted.TEXT)
                    .setClientSecret(Redacted.TEXT)
                    .setProxyUrl(Redacted.url(sso.getOidc().getProxyUrl()));
        return told.build();
    }

    /// Refuses those who may not even know where they are.
    public Caller me(Caller caller) {
        caller.require(Resource.PROJECT, Action.GET);
        return caller;
    }
}
