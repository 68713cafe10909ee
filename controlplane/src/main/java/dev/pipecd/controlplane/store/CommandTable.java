// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.command.CommandStore;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Keeps commands.
public final class CommandTable implements CommandStore {
    private final Documents<Command> documents;
    private final Shelf<Command> unhandledByPiped;

    public CommandTable(Database database, Trail trail, InstantSource clock) {
        var kind =
                new DocumentKind<>(
                        "Command",
                        Command.getDefaultInstance(),
                        Change.Kind.COMMAND,
                        "id",
                        "piped_id");
        documents = new Documents<>(database, trail, kind, clock);
        unhandledByPiped =
                new Shelf<>(
                        documents,
                        new Shelf.Order<>(
                                Command::getPipedId,
                                Command::getId,
                                c -> c.getStatus() == CommandStatus.COMMAND_NOT_HANDLED_YET,
                                piped -> Where.ALL.and("PipedId = ?", piped).and("Status = 0")));
    }

    @Override
    public Optional<Command> find(CommandId id) {
        return documents.find(id.value());
    }

    @Override
    public Collection<Command> unhandled(PipedId piped) {
        return unhandledByPiped.all(piped.value());
    }

    @Override
    public List<Command> since(PipedId piped, long second, int limit) {
        return documents.list(
                Where.ALL.and("PipedId = ?", piped.value()).and("CreatedAt >= ?", second),
                "CreatedAt, Id",
                limit);
    }

    @Override
    public List<Command> waiting(long before, int limit) {
        return documents.list(
                Where.ALL.and("Status = 0").and("CreatedAt < ?", before), "CreatedAt, Id", limit);
    }

    @Override
    public void add(Command added, String actor) {
        var _ = documents.add(added, actor, Where.ALL.and("Id = ?", added.getId()));
    }

    @Override
    public Optional<Command> update(
            CommandId id, String actor, Function<Command, Edit<Command>> edit) {
        return documents.update(id.value(), actor, edit);
    }

    @Override
    public List<Command> ended(long before, Cursor after, int limit) {
        return documents.list(endedBefore(before, after), "CreatedAt, Id", limit);
    }

    /// Said twice: each engine finds its index by one of them.
    static Where endedBefore(long before, Cursor after) {
        return Where.ALL
                .and("Status > 0")
                .in("Status", List.of(1, 2, 3))
                .and("CreatedAt < ?", before)
                .behind("CreatedAt", after);
    }

    @Override
    public boolean delete(CommandId id, String what) {
        return documents.delete(
                id.value(), what, c -> c.getStatus() != CommandStatus.COMMAND_NOT_HANDLED_YET);
    }
}
