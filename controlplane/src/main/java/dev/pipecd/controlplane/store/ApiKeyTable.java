// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.access.ApiKeyStore;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Function;

/// Keeps API keys; all of them stand on one board, since each call of a holder asks for its own.
public final class ApiKeyTable implements ApiKeyStore {
    private static final String ALL = "";
    private final Documents<APIKey> documents;
    private final Shelf<APIKey> shelf;

    public ApiKeyTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "APIKey", APIKey.getDefaultInstance(), Change.Kind.API_KEY, "name", "");
        documents = new Documents<>(database, trail, kind, clock);
        shelf = new Shelf<>(documents, _ -> ALL, APIKey::getId, _ -> true, _ -> Where.ALL);
    }

    @Override
    public Optional<APIKey> find(String id) {
        return shelf.find(ALL, id);
    }

    @Override
    public Collection<APIKey> of(ProjectId project) {
        return documents
                .list(Where.ALL.and("ProjectId = ?", project.value()), "Id", Integer.MAX_VALUE)
                .stream()
                .sorted(Comparator.comparing(APIKey::getName).thenComparing(APIKey::getId))
                .toList();
    }

    @Override
    public void add(APIKey added, String actor) {
        var _ = documents.add(added, actor, Where.NONE);
    }

    @Override
    public Optional<APIKey> update(String id, String actor, Function<APIKey, Edit<APIKey>> edit) {
        return documents.update(id, actor, edit);
    }
}
