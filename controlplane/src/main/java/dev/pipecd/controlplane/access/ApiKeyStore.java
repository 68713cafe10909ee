// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/// API keys as last recorded; asked on every call that carries one.
public interface ApiKeyStore {
    Optional<APIKey> find(String id);

    Collection<APIKey> of(ProjectId project);

    void add(APIKey added, String actor);

    Optional<APIKey> update(String id, String actor, Function<APIKey, Edit<APIKey>> edit);
}
