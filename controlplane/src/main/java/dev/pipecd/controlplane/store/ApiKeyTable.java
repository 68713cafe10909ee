// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.access.ApiKeyStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/// Keeps API keys; all of them stand on one board, since each call of a holder asks for its own.
public final class ApiKeyTable implements ApiKeyStore {
    private final Documents<StoredAPIKey> documents;
    private final Shelf<StoredAPIKey> shelf;

    public ApiKeyTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "APIKey",
                        StoredAPIKey.getDefaultInstance(),
                        Change.Kind.API_KEY,
                        "name",
                        "");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = Shelf.ofAll(documents, StoredAPIKey::getId);
    }

    @Override
    public Optional<StoredAPIKey> find(String id) {
        return shelf.find(Shelf.ALL, id);
    }

    @Override
    public Collection<StoredAPIKey> of(ProjectId project) {
        return documents
                .list(Where.ALL.and("ProjectId = ?", project.value()), "Id", Integer.MAX_VALUE)
                .stream()
                .sorted(
                        Comparator.comparing(StoredAPIKey::getName)
                                .thenComparing(StoredAPIKey::getId))
                .toList();
    }

    @Override
    public void add(StoredAPIKey added, String actor) {
        var _ = documents.add(added, actor, Where.NONE);
    }

    @Override
    public Optional<StoredAPIKey> update(
            String id, String actor, Function<StoredAPIKey, Edit<StoredAPIKey>> edit) {
        return documents.update(id, actor, edit);
    }
}
