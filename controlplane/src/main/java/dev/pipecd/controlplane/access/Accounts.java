// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.ProjectId;
import java.util.Optional;

/// Where the static administrators of the projects are looked up.
public interface Accounts {
    /// Empty when there is no such project, or its static administrator is switched off.
    Optional<StaticAdmin> staticAdmin(ProjectId project);

    /// The hash is bcrypt.
    record StaticAdmin(String username, String passwordHash) {
        @Override
        public String toString() {
            return "StaticAdmin[" + username + "]";
        }
    }
}
