// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.command;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Command;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Commands as last recorded.
public interface CommandStore {
    Optional<Command> find(CommandId id);

    /// What an agent has still to carry out.
    Collection<Command> unhandled(PipedId piped);

    /// Those for an agent given at that second or later, whatever became of them; oldest first.
    List<Command> since(PipedId piped, long second, int limit);

    /// Those nobody has carried out, given before that second; oldest first.
    List<Command> waiting(long before, int limit);

    /// Adds it unless its id is there.
    void add(Command added, String actor);

    Optional<Command> update(CommandId id, String actor, Function<Command, Edit<Command>> edit);

    /// Those that are over and were given before that second, oldest first; the cursor tells when
    /// they were.
    List<Command> ended(long before, Cursor after, int limit);

    boolean delete(CommandId id, String what);
}
