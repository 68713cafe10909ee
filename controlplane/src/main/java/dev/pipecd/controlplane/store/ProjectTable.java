// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.project.ProjectStore;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/// Keeps projects; all of them stand on one board, since each call of a person asks for its own.
public final class ProjectTable implements ProjectStore {
    private final Documents<Project> documents;
    private final Shelf<Project> shelf;

    public ProjectTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Project", Project.getDefaultInstance(), Change.Kind.PROJECT, "id", "");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = Shelf.ofAll(documents, Project::getId);
    }

    @Override
    public Optional<Project> find(ProjectId id) {
        return shelf.find(Shelf.ALL, id.value());
    }

    @Override
    public Collection<Project> all() {
        return shelf.all(Shelf.ALL);
    }

    @Override
    public Optional<Project> add(Project added, String actor) {
        return documents.add(added, actor, Where.ALL.and("Id = ?", added.getId()));
    }

    @Override
    public Optional<Project> update(
            ProjectId id, String actor, Function<Project, Edit<Project>> edit) {
        return documents.update(id.value(), actor, edit);
    }
}
