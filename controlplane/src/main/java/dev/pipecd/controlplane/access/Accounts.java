// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.ProjectId;
import java.util.Optional;
import java.util.Set;

/// Who may log in to the projects, and what their roles allow.
public interface Accounts {
    default boolean exists(ProjectId project) {
        return staticAdmin(project).isPresent();
    }

    /// Empty when there is no such project, or its static administrator is switched off.
    Optional<StaticAdmin> staticAdmin(ProjectId project);

    /// On whose word people log in to it from elsewhere; empty when nobody does.
    default Set<String> vouchers(ProjectId project) {
        return Set.of();
    }

    /// What the roles of these names allow there; unknown names allow nothing.
    default Set<Permission> permissions(ProjectId project, Set<String> roles) {
        return BuiltInRole.permissions(roles);
    }

    /// The hash is bcrypt.
    record StaticAdmin(String username, String passwordHash) {
        @Override
        public String toString() {
            return "StaticAdmin[" + username + "]";
        }
    }
}
