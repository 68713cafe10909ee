// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.follow.Stages;
import dev.pipecd.cli.follow.Track;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.delivery.ApproveStageRequest;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl deployment approve`.
@Command(
        name = "approve",
        customSynopsis = "pipectl deployment approve --deployment-id ID [FLAGS]",
        description = {
            "Approves the stage that waits for it, in the name of the API key, and waits until the agent has taken it.",
            "A stage that names its approvers takes the key only if it names it as key:NAME. Not offered by the public control plane."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl deployment approve --deployment-id ID ...")
public final class DeploymentApproveCommand implements Callable<Integer> {
    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--deployment-id",
            paramLabel = "ID",
            required = true,
            description = "The deployment's id. Required.")
    String id = "";

    @Option(
            names = "--stage-id",
            paramLabel = "ID",
            description = "Which stage; needed only where several wait.")
    String stageId = "";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "Gives up waiting for the agent after this time. Default: 5m.")
    Duration limit = Duration.ofMinutes(5);

    public DeploymentApproveCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (var api = connection.open(terminal)) {
            var stage = stageId.isEmpty() ? theOneThatWaits(api) : stageId;
            var request =
                    ApproveStageRequest.newBuilder().setDeploymentId(id).setStageId(stage).build();
            new Steering(api, terminal, limit)
                    .order("approve", ours -> ours.approveStage(request).getCommandId());
            terminal.result("Approved stage " + stage + " of deployment " + id);
        }
        return 0;
    }

    private String theOneThatWaits(ApiConnection api) {
        var waiting = Stages.waiting(new Track(id).look(api));
        if (waiting.size() == 1) return waiting.getFirst().getId();
        if (waiting.isEmpty())
            throw new Problem(
                    Code.PRECONDITION_FAILED,
                    "deployment: %s has no stage that waits (expected: one that waits for approval)"
                            .formatted(id),
                    "See `pipectl deployment get --deployment-id %s`.".formatted(id));
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "--stage-id: missing (expected: one of %s)"
                        .formatted(
                                waiting.stream()
                                        .map(stage ->
                                                stage.getId()
                                                        + " "
                                                        + Printable.text(stage.getName()))
                                        .collect(Collectors.joining(", "))),
                "Several stages wait: say which.");
    }
}
