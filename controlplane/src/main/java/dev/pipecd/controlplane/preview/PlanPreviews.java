// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.preview;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import dev.pipecd.wire.model.PlanPreviewCommandResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// Previews: asked of every agent that watches the repository, and gathered from them.
public final class PlanPreviews {
    private static final Duration FRESH = Duration.ofHours(24);
    private static final Duration USUAL_PATIENCE = Duration.ofMinutes(5);
    private static final String COMMANDER = "pipectl";

    private final Pipeds pipeds;
    private final Commands commands;
    private final InstantSource clock;
    private final String webAddress;

    public PlanPreviews(Pipeds pipeds, Commands commands, InstantSource clock, String webAddress) {
        this.pipeds = pipeds;
        this.commands = commands;
        this.clock = clock;
        this.webAddress = webAddress.replaceFirst("/+$", "");
    }

    /// An order for each enabled agent that watches the base branch; none when nobody does.
    public List<CommandId> request(Caller caller, Asked asked) {
        caller.require(Resource.DEPLOYMENT, Action.CREATE);
        return pipeds.enabled(caller.project()).stream()
                .flatMap(piped ->
                        piped.getRepositoriesList().stream()
                                .filter(asked::concerns)
                                .limit(1)
                                .map(repository -> order(caller, piped, repository, asked)))
                .toList();
    }

    private CommandId order(
            Caller caller, Piped piped, ApplicationGitRepository repository, Asked asked) {
        return commands.give(
                caller,
                Command.newBuilder()
                        .setType(Command.Type.BUILD_PLAN_PREVIEW)
                        .setPipedId(piped.getId())
                        .setCommander(COMMANDER)
                        .setBuildPlanPreview(
                                Command.BuildPlanPreview.newBuilder()
                                        .setRepositoryId(repository.getId())
                                        .setHeadBranch(asked.headBranch())
                                        .setHeadCommit(asked.headCommit())
                                        .setBaseBranch(asked.baseBranch())
                                        .setTimeout(asked.timeout().toSeconds())));
    }

    /// What became of the orders. As long as one may still be answered there is no result: who asks
    /// asks again.
    public List<PlanPreviewCommandResult> results(
            Caller caller, List<CommandId> ids, Duration patience) {
        caller.require(Resource.DEPLOYMENT, Action.CREATE);
        var limit = patience.isPositive() ? patience : USUAL_PATIENCE;
        return ids.stream().map(id -> result(caller, commands.get(caller, id), limit)).toList();
    }

    private PlanPreviewCommandResult result(Caller caller, Command command, Duration patience) {
        if (command.getType() != Command.Type.BUILD_PLAN_PREVIEW)
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "command: %s is %s (expected: BUILD_PLAN_PREVIEW)"
                            .formatted(command.getId(), command.getType()),
                    "Give the ids that the request for a preview answered.");
        var piped = pipeds.ofProject(caller.project(), new PipedId(command.getPipedId()));
        var told =
                command.getStatus() == CommandStatus.COMMAND_NOT_HANDLED_YET
                        ? unanswered(command, pipeds.status(piped), patience)
                        : answered(command);
        return completed(told, command, piped);
    }

    private PlanPreviewCommandResult unanswered(
            Command command, ConnectionStatus status, Duration patience) {
        if (status != ConnectionStatus.ONLINE) return failed("Maybe Piped is offline currently.");
        var given = Instant.ofEpochSecond(command.getCreatedAt());
        if (clock.instant().isAfter(given.plus(patience)))
            return failed("Timed out, maybe the Piped is offline currently.");
        throw new Problem(
                Problem.Code.NOT_FOUND,
                "result: none yet of command %s from piped %s"
                        .formatted(command.getId(), command.getPipedId()),
                "Ask again in a few seconds.");
    }

    private PlanPreviewCommandResult answered(Command command) {
        var handled = Instant.ofEpochSecond(command.getHandledAt());
        if (clock.instant().isAfter(handled.plus(FRESH)))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "result: of command %s is older than a day (expected: a fresh one)"
                            .formatted(command.getId()),
                    "Request a new preview.");
        return commands.output(new CommandId(command.getId()))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .map(PlanPreviews::read)
                .orElseGet(() -> failed(Commands.reason(command)));
    }

    private static PlanPreviewCommandResult read(String output) {
        try {
            return GoJson.read(PlanPreviewCommandResult.getDefaultInstance(), output);
        } catch (IllegalArgumentException e) {
            return failed("The agent's answer cannot be read: " + e.getMessage());
        }
    }

    private static PlanPreviewCommandResult failed(String why) {
        return PlanPreviewCommandResult.newBuilder().setError(why).build();
    }

    /// Agents know neither names nor addresses of pages.
    private PlanPreviewCommandResult completed(
            PlanPreviewCommandResult told, Command command, Piped piped) {
        var completed =
                told.toBuilder()
                        .setCommandId(command.getId())
                        .setPipedId(piped.getId())
                        .setPipedName(piped.getName())
                        .setPipedUrl(webAddress + "/settings/piped");
        completed
                .getResultsBuilderList()
                .forEach(r ->
                        r.setApplicationUrl(webAddress + "/applications/" + r.getApplicationId()));
        return completed.build();
    }

    /// Which change is to be looked at, and how long an agent may take.
    public record Asked(
            String remote,
            String headBranch,
            String headCommit,
            String baseBranch,
            Duration timeout) {
        boolean concerns(ApplicationGitRepository repository) {
            return repository.getRemote().equals(remote)
                    && repository.getBranch().equals(baseBranch);
        }
    }
}
