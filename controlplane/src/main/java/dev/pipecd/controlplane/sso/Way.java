// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.project.RoleBook;
import dev.pipecd.controlplane.project.Vouchers;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/// The way into one project: who vouches, for how long, and which roles that gives.
public record Way(Project project, Duration sessionLife, Provider provider) {

    /// Empty when nothing that is told of them means anything here, and strangers are not let in.
    Optional<Sessions.Visitor> visitor(Identity identity) {
        var roles = roles(identity);
        if (!roles.isEmpty())
            return Optional.of(visitor(identity, roles, Vouchers.ofMembers(project)));
        if (!project.getAllowStrayAsViewer()) return Optional.empty();
        var viewer = Set.of(BuiltInRole.VIEWER.roleName());
        return Optional.of(visitor(identity, viewer, Vouchers.ofStrangers(project)));
    }

    private Sessions.Visitor visitor(Identity identity, Set<String> roles, String voucher) {
        var person =
                new Caller.Person(
                        new ProjectId(project.getId()),
                        identity.username(),
                        roles,
                        RoleBook.permissions(project, roles));
        return new Sessions.Visitor(person, identity.avatarUrl(), sessionLife, voucher);
    }

    /// Of GitHub only the groups count; an issuer may name roles themselves, also the project's
    /// own.
    private Set<String> roles(Identity identity) {
        var roles = new LinkedHashSet<>(RoleBook.rolesOf(project, identity.groups()));
        switch (provider) {
            case Provider.GitHub _ -> {}
            case Provider.Oidc _ ->
                    identity.groups().stream()
                            .filter(name -> RoleBook.knows(project, name))
                            .forEach(roles::add);
        }
        roles.removeIf(role -> !RoleBook.knows(project, role));
        return roles;
    }
}
