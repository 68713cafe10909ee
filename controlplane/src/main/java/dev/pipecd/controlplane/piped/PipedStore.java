// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// Agents as last recorded.
public interface PipedStore {
    Optional<Piped> find(PipedId id);

    /// Whose it is, its keys, and what it shall do: asked on every call of an agent. What it told
    /// of itself is left out, but for what it watches if that is not very much.
    Optional<Piped> known(PipedId id);

    /// Of those that told very much together, the rest as far as it is `known`.
    Collection<Piped> of(ProjectId project);

    /// Those of every project that are not switched off and watch something that is wanted, with
    /// that; the rest as far as it is `known`.
    Collection<Piped> watching(Predicate<ApplicationGitRepository> wanted);

    int count(ProjectId project);

    void add(Piped added, String actor);

    Optional<Piped> update(PipedId id, String actor, Function<Piped, Edit<Piped>> edit);
}
