// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/// API keys as last recorded; asked on every call that carries one.
public interface ApiKeyStore {
    Optional<StoredAPIKey> find(String id);

    Collection<StoredAPIKey> of(ProjectId project);

    void add(StoredAPIKey added, String actor);

    Optional<StoredAPIKey> update(
            String id, String actor, Function<StoredAPIKey, Edit<StoredAPIKey>> edit);
}
