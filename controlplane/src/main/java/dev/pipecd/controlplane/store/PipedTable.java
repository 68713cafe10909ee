// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.piped.PipedStore;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Keeps agents; all of them stand on one board, since each call of an agent asks for its own, and
/// each push for those of everybody. What else they tell of themselves does not: one project could
/// fill the memory with it, and again after each restart.
public final class PipedTable implements PipedStore {
    private static final long MOST_LISTED = 16L << 20;

    /// Of what one watches, in bytes: some forty repositories.
    private static final int MOST_KEPT = 4 * 1024;

    private static final int MOST_ASKED_FOR = 1_000;

    private final Documents<Piped> documents;
    private final Shelf<Piped> shelf;

    public PipedTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Piped", Piped.getDefaultInstance(), Change.Kind.PIPED, "name", "id");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = Shelf.ofAll(documents, Piped::getId, PipedTable::kept);
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

    private static Piped kept(Piped piped) {
        var known = known(piped);
        var watching = known.toBuilder().addAllRepositories(piped.getRepositoriesList()).build();
        return watching.getSerializedSize() - known.getSerializedSize() <= MOST_KEPT
                ? watching
                : known;
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
    public List<Piped> watching(Predicate<ApplicationGitRepository> wanted) {
        var enabled =
                shelf.all(Shelf.ALL).stream()
                        .filter(p -> !p.getDisabled())
                        .collect(Collectors.partitioningBy(PipedTable::mayWatchMore));
        var more = enabled.getOrDefault(true, List.of()).stream().map(Piped::getId).toList();
        return Stream.concat(
                        enabled.getOrDefault(false, List.of()).stream().map(p -> only(wanted, p)),
                        IntStream.range(0, (more.size() + MOST_ASKED_FOR - 1) / MOST_ASKED_FOR)
                                .boxed()
                                .flatMap(n -> read(part(more, n), wanted)))
                .filter(p -> p.getRepositoriesCount() > 0)
                .toList();
    }

    /// One that has started watches something, which is on the board unless it is very much.
    private static boolean mayWatchMore(Piped kept) {
        return kept.getRepositoriesCount() == 0 && kept.getStartedAt() > 0;
    }

    private static List<String> part(List<String> ids, int number) {
        var from = number * MOST_ASKED_FOR;
        return ids.subList(from, Math.min(ids.size(), from + MOST_ASKED_FOR));
    }

    private Stream<Piped> read(List<String> ids, Predicate<ApplicationGitRepository> wanted) {
        var marks = String.join(", ", Collections.nCopies(ids.size(), "?"));
        return documents
                .list(
                        Where.ALL.and("Id IN (" + marks + ")", ids.toArray()),
                        "Id",
                        Integer.MAX_VALUE,
                        text -> only(wanted, documents.value(text)))
                .stream();
    }

    private static Piped only(Predicate<ApplicationGitRepository> wanted, Piped piped) {
        return known(piped).toBuilder()
                .addAllRepositories(piped.getRepositoriesList().stream().filter(wanted).toList())
                .build();
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
