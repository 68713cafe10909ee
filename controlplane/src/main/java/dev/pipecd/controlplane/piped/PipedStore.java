// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/// Agents as last recorded; asked on every call of an agent.
public interface PipedStore {
    Optional<Piped> find(PipedId id);

    Collection<Piped> of(ProjectId project);

    void add(Piped added, String actor);

    Optional<Piped> update(PipedId id, String actor, Function<Piped, Edit<Piped>> edit);
}
