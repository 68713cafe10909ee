// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.domain.ProjectId;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The projects this control plane serves.
public final class Projects {
    private final Map<ProjectId, Project> projects = new LinkedHashMap<>();

    public Projects(List<Project> projects) {
        projects.forEach(p -> this.projects.put(p.id(), p));
    }

    public Optional<Project> find(ProjectId id) {
        return Optional.ofNullable(projects.get(id));
    }

    public Collection<Project> all() {
        return List.copyOf(projects.values());
    }
}
