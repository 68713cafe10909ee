// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/// Projects as last recorded; asked on every call of whoever is in one.
public interface ProjectStore {
    Optional<Project> find(ProjectId id);

    Collection<Project> all();

    /// Answers the one that stands there already, if its id is taken.
    Optional<Project> add(Project added, String actor);

    Optional<Project> update(ProjectId id, String actor, Function<Project, Edit<Project>> edit);
}
