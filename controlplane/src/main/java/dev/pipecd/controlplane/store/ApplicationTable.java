// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/// Keeps applications.
public final class ApplicationTable implements ApplicationStore {
    private static final String OLD_DEFAULT = ".pipe.yaml";

    private final Documents<Application> documents;
    private final Shelf<Application> byPiped;

    public ApplicationTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Application",
                        Application.getDefaultInstance(),
                        Change.Kind.APPLICATION,
                        "name",
                        "piped_id");
        documents = new Documents<>(database, trail, kind, clock);
        byPiped =
                new Shelf<>(
                        documents,
                        new Shelf.Order<>(
                                Application::getPipedId,
                                Application::getId,
                                a -> !a.getDisabled() && !a.getDeleted(),
                                piped ->
                                        Where.ALL
                                                .and("PipedId = ?", piped)
                                                .and("Disabled = 0 AND Deleted = 0")));
    }

    @Override
    public Optional<Application> find(ApplicationId id) {
        return documents.find(id.value()).filter(a -> !a.getDeleted());
    }

    @Override
    public Collection<Application> enabled(PipedId piped) {
        return byPiped.all(piped.value());
    }

    @Override
    public Optional<Application> findEnabled(PipedId piped, ApplicationId id) {
        return byPiped.find(piped.value(), id.value());
    }

    @Override
    public List<Application> list(ApplicationFilter filter, Cursor after, int limit) {
        return documents.list(where(filter, after), Where.NEWEST_FIRST, limit);
    }

    @Override
    public List<ByteString> wire(ApplicationFilter filter, int limit) {
        return documents.wire(where(filter, Cursor.START), Where.NEWEST_FIRST, limit);
    }

    static Where where(ApplicationFilter filter, Cursor after) {
        var where =
                Where.ALL
                        .and("ProjectId = ?", filter.project().value())
                        .and("Deleted = 0")
                        .in(
                                "Kind",
                                filter.kinds().stream().map(ApplicationKind::getNumber).toList())
                        .in(
                                "SyncState_Status",
                                filter.syncStatuses().stream()
                                        .map(ApplicationSyncStatus::getNumber)
                                        .toList())
                        .is("Name", filter.name())
                        .is("PipedId", filter.piped())
                        .labels(filter.labels())
                        .after(after);
        return switch (filter.activity()) {
            case ANY -> where;
            case ENABLED -> where.and("Disabled = 0");
            case DISABLED -> where.and("Disabled = 1");
        };
    }

    Documents<Application> documents() {
        return documents;
    }

    @Override
    public Optional<Application> add(Application added, String actor) {
        return documents.add(added, actor, sameFile(added));
    }

    @Override
    public Optional<Application> twin(Application application) {
        return documents.list(sameFile(application), "Id", 2).stream()
                .filter(a -> !a.getId().equals(application.getId()))
                .findFirst();
    }

    /// Without a name it is the old default, as agents read it.
    private static List<String> spellings(String configFile) {
        return configFile.isEmpty() || configFile.equals(OLD_DEFAULT)
                ? List.of("", OLD_DEFAULT)
                : List.of(configFile);
    }

    private static Where sameFile(Application application) {
        var path = application.getGitPath();
        return Where.ALL
                .and("PipedId = ?", application.getPipedId())
                .and("RepositoryId = ?", path.getRepo().getId())
                .and("Path = ?", path.getPath())
                .in("ConfigFilename", spellings(path.getConfigFilename()))
                .and("Deleted = 0");
    }

    @Override
    public Optional<Application> update(
            ApplicationId id, String actor, Function<Application, Edit<Application>> edit) {
        return documents.update(id.value(), actor, edit);
    }

    @Override
    public Optional<Application> place(
            ApplicationId id,
            String actor,
            Function<Application, Edit<Application>> edit,
            Function<Application, Problem> taken) {
        // Refused only when all is written: what is undone and begun again may find another.
        var twin = new AtomicReference<>(Optional.<Application>empty());
        var placed =
                documents.decide(
                        id.value(),
                        actor,
                        before ->
                                transaction -> {
                                    var decided = edit.apply(before);
                                    twin.set(
                                            decided
                                                                    instanceof
                                                                    Edit.Changed<Application>(
                                                                            var after,
                                                                            _)
                                                            && !sameFile(after)
                                                                    .equals(sameFile(before))
                                                    ? documents.taken(
                                                            transaction,
                                                            id.value(),
                                                            sameFile(after))
                                                    : Optional.empty());
                                    return twin.get().isPresent()
                                            ? new Edit.Unchanged<>()
                                            : decided;
                                });
        if (twin.get().isPresent()) throw taken.apply(twin.get().get());
        return placed;
    }
}
