// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.command;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.util.Comparator;
import java.util.List;

/// Orders: given by people through the features that check them, taken and answered by agents.
public final class Commands {
    private static final Comparator<Command> OLDEST_FIRST =
            Comparator.comparingLong(Command::getCreatedAt).thenComparing(Command::getId);

    private final CommandStore store;
    private final FileStore files;
    private final IdSource ids;

    public Commands(CommandStore store, FileStore files, IdSource ids) {
        this.store = store;
        this.files = files;
        this.ids = ids;
    }

    /// Records an order that its feature has already authorised.
    public CommandId give(Caller caller, Command.Builder order) {
        var id = new CommandId(ids.next());
        store.add(
                order.setId(id.value())
                        .setProjectId(caller.project().value())
                        .setCommander(commander(caller))
                        .setStatus(CommandStatus.COMMAND_NOT_HANDLED_YET)
                        .build(),
                caller.name());
        return id;
    }

    private static String commander(Caller caller) {
        return switch (caller) {
            case Caller.Person person -> person.name();
            case Caller.KeyHolder(_, var keyId, _, _) -> keyId;
            case Caller.Agent(_, var piped) -> piped.value();
        };
    }

    public Command get(Caller caller, CommandId id) {
        caller.requireSome(Resource.DEPLOYMENT, Action.GET);
        return store.find(id)
                .filter(c -> c.getProjectId().equals(caller.project().value()))
                // whose roles are limited to labels follows what they ordered themselves
                .filter(c ->
                        caller.may(Resource.DEPLOYMENT, Action.GET)
                                || c.getCommander().equals(caller.name()))
                .orElseThrow(() -> Ownership.notFound("command", id.value()));
    }

    /// Oldest first.
    public List<Command> unhandled(Caller.Agent agent) {
        return store.unhandled(agent.piped()).stream().sorted(OLDEST_FIRST).toList();
    }

    /// An agent has carried it out, or could not. Told again it changes nothing.
    public void handled(Caller.Agent agent, Answer answer) {
        if (answer.status() == CommandStatus.COMMAND_NOT_HANDLED_YET)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "status: COMMAND_NOT_HANDLED_YET (expected: how it ended)",
                    "Report a command when it is handled.");
        var id = answer.command();
        var before = store.find(id).orElseThrow(() -> Ownership.notFound("command", id.value()));
        Ownership.ofAgent(agent, before.getPipedId(), "command", id.value());
        if (answer.output().length > 0)
            files.put(FilePath.of("command-output", id.value() + ".json"), answer.output());
        var _ = store.update(id, agent.name(), command -> answered(command, answer));
    }

    private static Edit<Command> answered(Command command, Answer answer) {
        if (command.getStatus() == CommandStatus.COMMAND_NOT_HANDLED_YET)
            return new Edit.Changed<>(
                    command.toBuilder()
                            .setStatus(answer.status())
                            .clearMetadata()
                            .putAllMetadata(answer.metadata())
                            .setHandledAt(answer.handledAt())
                            .build(),
                    "handled: " + answer.status());
        if (command.getStatus() == answer.status()) return new Edit.Unchanged<>();
        throw new Problem(
                Problem.Code.TRANSITION_REFUSED,
                "status: %s of a command that is %s (expected: the first answer)"
                        .formatted(answer.status(), command.getStatus()),
                "A command is answered once.");
    }
}
