// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.command;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Orders: given by people through the features that check them, taken and answered by agents.
public final class Commands {
    private static final Comparator<Command> OLDEST_FIRST =
            Comparator.comparingLong(Command::getCreatedAt).thenComparing(Command::getId);

    private static final Duration LIFE = Duration.ofHours(24);
    private static final Duration OUTPUT_LIFE = Duration.ofHours(48);
    private static final String OUTPUTS = "command-output";
    private static final int EXPIRED_AT_ONCE = 500;
    private static final int SINCE_AT_ONCE = 1_000;
    private static final String REASON = "Reason";
    private static final String SELF = "control plane";

    private final CommandStore store;
    private final FileStore files;
    private final IdSource ids;
    private final InstantSource clock;

    public Commands(CommandStore store, FileStore files, IdSource ids, InstantSource clock) {
        this.store = store;
        this.files = files;
        this.ids = ids;
        this.clock = clock;
    }

    /// Records an order that its feature has already authorised.
    public CommandId give(Caller caller, Command.Builder order) {
        var id = new CommandId(ids.next());
        if (order.getCommander().isEmpty()) order.setCommander(commander(caller));
        add(caller.project(), id, order, caller.name());
        return id;
    }

    /// An order of our own, under an id that tells it apart: given again it changes nothing.
    public void give(ProjectId project, CommandId id, Command.Builder order) {
        add(project, id, order, SELF);
    }

    private void add(ProjectId project, CommandId id, Command.Builder order, String actor) {
        store.add(
                order.setId(id.value())
                        .setProjectId(project.value())
                        .setStatus(CommandStatus.COMMAND_NOT_HANDLED_YET)
                        .build(),
                actor);
    }

    private static String commander(Caller caller) {
        return switch (caller) {
            case Caller.Person person -> person.name();
            case Caller.KeyHolder(_, var keyId, _, _) -> keyId;
            case Caller.Agent(_, var piped) -> piped.value();
        };
    }

    public Command get(Caller caller, CommandId id) {
        return store.find(id)
                .filter(c -> c.getProjectId().equals(caller.project().value()))
                // whatever their roles, people follow what they ordered themselves
                .filter(c ->
                        caller.may(Resource.DEPLOYMENT, Action.GET)
                                || c.getCommander().equals(caller.name()))
                .orElseThrow(() -> Ownership.notFound("command", id.value()));
    }

    /// What it produced, if anything.
    public Optional<byte[]> output(CommandId id) {
        return files.get(path(id));
    }

    /// Why it did not succeed, as its agent or the clock told.
    public static String reason(Command command) {
        return command.getMetadataOrDefault(REASON, "its agent gave no reason");
    }

    /// For features that build upon it.
    public Optional<Command> find(CommandId id) {
        return store.find(id);
    }

    /// The first thousand for an agent from that second on, handled or not; for features that build
    /// upon them.
    public List<Command> since(PipedId piped, long second) {
        return store.since(piped, second, SINCE_AT_ONCE);
    }

    /// Oldest first.
    public List<Command> unhandled(Caller.Agent agent) {
        return store.unhandled(agent.piped()).stream().sorted(OLDEST_FIRST).toList();
    }

    /// An agent has carried it out, or could not. Told again it changes nothing: neither how it
    /// ended nor what it produced; of two answers under way at the same time the first says how it
    /// ended, and the last to be written what it produced. Answers how it stands now.
    public Command handled(Caller.Agent agent, Answer answer) {
        if (answer.status() == CommandStatus.COMMAND_NOT_HANDLED_YET)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "status: COMMAND_NOT_HANDLED_YET (expected: how it ended)",
                    "Report a command when it is handled.");
        var id = answer.command();
        var before = store.find(id).orElseThrow(() -> Ownership.notFound("command", id.value()));
        Ownership.ofAgent(
                agent,
                new Ownership.Owner(before.getProjectId(), before.getPipedId()),
                "command",
                id.value());
        // before the store says so, or a reader would miss it; and not for what it will refuse
        if (answered(before, answer) instanceof Edit.Changed<Command> && answer.output().length > 0)
            files.put(path(id), answer.output());
        return store.update(id, agent.name(), command -> answered(command, answer)).orElse(before);
    }

    private static FilePath path(CommandId id) {
        return FilePath.of(OUTPUTS, id.value() + ".json");
    }

    /// Ends what no agent has carried out for a day, so that nobody waits for it for ever; answers
    /// those it ended.
    public List<Command> expire() {
        var now = clock.instant();
        var ended = new ArrayList<Command>();
        for (var late : store.waiting(now.minus(LIFE).getEpochSecond(), EXPIRED_AT_ONCE))
            store.update(
                            new CommandId(late.getId()),
                            SELF,
                            command ->
                                    command.getStatus() == CommandStatus.COMMAND_NOT_HANDLED_YET
                                            ? expired(command, now)
                                            : new Edit.Unchanged<>())
                    .filter(c -> c.getStatus() == CommandStatus.COMMAND_TIMEOUT)
                    .ifPresent(ended::add);
        return ended;
    }

    /// Deletes what commands produced once nobody may ask for it any more.
    public void forgetOutputs(Turn turn) {
        var before = clock.instant().minus(OUTPUT_LIFE);
        files.list(
                FilePath.of(OUTPUTS),
                listed -> {
                    turn.require();
                    if (listed.at().isBefore(before)) files.delete(listed.path());
                });
    }

    private static Edit<Command> expired(Command command, Instant now) {
        return new Edit.Changed<>(
                command.toBuilder()
                        .setStatus(CommandStatus.COMMAND_TIMEOUT)
                        .putMetadata(REASON, "no agent carried it out within a day")
                        .setHandledAt(now.getEpochSecond())
                        .build(),
                "timed out");
    }

    private static Edit<Command> answered(Command command, Answer answer) {
        // late is better than never: what really happened replaces the time-out
        if (command.getStatus() == CommandStatus.COMMAND_NOT_HANDLED_YET
                || (command.getStatus() == CommandStatus.COMMAND_TIMEOUT
                        && answer.status() != CommandStatus.COMMAND_TIMEOUT))
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
