// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.domain.ProjectId;

/// A tenant, as the configuration file names it.
///
/// @param adminPasswordHash bcrypt
public record Project(
        ProjectId id, String description, String adminUsername, String adminPasswordHash) {
    @Override
    public String toString() {
        return "Project[" + id + "]"; // never the hash
    }
}
