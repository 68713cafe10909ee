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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// Keeps agents; all of them stand on one board, since each call of an agent asks for its own. What
/// they tell of themselves does not: one project could fill the memory with it, and again after
/// each restart.
public final class PipedTable implements PipedStore {
    private static final long MOST_LISTED = 16L << 20;

    private final Documents<Piped> documents;
    private final Shelf<Piped> shelf;

    public PipedTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Piped", Piped.getDefaultInstance(), Change.Kind.PIPED, "name", "id");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = Shelf.ofAll(documents, Piped::getId, PipedTable::known);
    }

    @SuppressWarnings("deprecation") // old agents still send providers
    private static Piped known(Piped piped) {
        return piped.toBuilder()
                .clearConfig()
                .clearRepositories()
                .clearPlugins()
                .clearCloudProviders()
                .clearPlatformProviders()
                .clearSecretEncryption()
                .build();
    }

    @Override
    public Optional<Piped> find(PipedId id) {
        return documents.find(id.value());
    }

    @Override
    public Optional<Piped> known(PipedId id) {
        return shelf.find(Shelf.ALL, id.value());
    }

    @Override
    public int count(ProjectId project) {
        return (int)
                shelf.all(Shelf.ALL).stream()
                        .filter(p -> p.getProjectId().equals(project.value()))
                        .count();
    }

    @Override
    public Collection<Piped> of(ProjectId project) {
        var room = new AtomicLong(MOST_LISTED);
        return documents
                .list(
                        Where.ALL.and("ProjectId = ?", project.value()),
                        "Id",
                        Integer.MAX_VALUE,
                        text -> listed(documents.value(text), room))
                .stream()
                .sorted(Comparator.comparing(Piped::getName).thenComparing(Piped::getId))
                .toList();
    }

    private static Piped listed(Piped piped, AtomicLong room) {
        return room.addAndGet(-piped.getSerializedSize()) < 0 ? known(piped) : piped;
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
