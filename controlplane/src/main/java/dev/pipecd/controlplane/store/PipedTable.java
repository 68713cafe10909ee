// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.piped.PipedStore;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/// Keeps agents; all of them stand on one board, since each call of an agent asks for its own.
public final class PipedTable implements PipedStore {
    private final Documents<Piped> documents;
    private final Shelf<Piped> shelf;

    public PipedTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Piped", Piped.getDefaultInstance(), Change.Kind.PIPED, "name", "id");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = Shelf.ofAll(documents, Piped::getId);
    }

    @Override
    public Optional<Piped> find(PipedId id) {
        return shelf.find(Shelf.ALL, id.value());
    }

    @Override
    public Collection<Piped> of(ProjectId project) {
        return documents
                .list(Where.ALL.and("ProjectId = ?", project.value()), "Id", Integer.MAX_VALUE)
                .stream()
                .sorted(Comparator.comparing(Piped::getName).thenComparing(Piped::getId))
                .toList();
    }

    @Override
    public void add(Piped added, String actor) {
        var _ = documents.add(added, actor, Where.NONE);
    }

    @Override
    public Optional<Piped> update(PipedId id, String actor, Function<Piped, Edit<Piped>> edit) {
        return documents.update(id.value(), actor, edit);
    }
}
