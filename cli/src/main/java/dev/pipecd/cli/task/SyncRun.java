// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.task;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Duration;
import java.util.Set;

/// `pipectl application sync`: gives the order, waits until an agent has taken it, and if asked
/// until the deployment is where it should be.
public final class SyncRun {
    private static final String DEPLOYMENT = "TriggeredDeploymentID";

    private final ApiConnection api;
    private final Terminal terminal;

    public SyncRun(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    public void run(
            String applicationId,
            Set<String> statuses,
            Duration interval,
            Duration limit,
            OutputFormat format)
            throws InterruptedException {
        var patience = new Patience(terminal, interval, limit);
        var order =
                api.ask(stub ->
                                stub.syncApplication(
                                        SyncApplicationRequest.newBuilder()
                                                .setApplicationId(applicationId)
                                                .build()))
                        .getCommandId();
        terminal.progress(
                "Sync of %s is ordered (command %s); waiting for its agent."
                        .formatted(applicationId, order));
        var command = handled(order, patience, limit);
        var deployment = deploymentOf(command);
        var json = format == OutputFormat.JSON;
        terminal.out()
                .println(
                        json
                                ? Json.of(command)
                                : "Triggered deployment " + Printable.text(deployment));
        terminal.out().flush();
        if (!statuses.isEmpty())
            new DeploymentWait(api, terminal).until(deployment, statuses, patience, limit);
    }

    private Command handled(String order, Patience patience, Duration limit)
            throws InterruptedException {
        var look = new Look(api, terminal);
        do {
            var seen =
                    look.at(stub ->
                            stub.getCommand(
                                    GetCommandRequest.newBuilder().setCommandId(order).build()));
            if (seen.isPresent()
                    && seen.get().getCommand().getStatus() != CommandStatus.COMMAND_NOT_HANDLED_YET)
                return seen.get().getCommand();
        } while (patience.pause());
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "command: %s is not handled after %s (expected: its agent takes it)"
                        .formatted(order, Look.told(limit)),
                "Check that the application's agent is online; the order stays open and is carried out when it is.");
    }

    private static String deploymentOf(Command command) {
        var deployment = command.getMetadataOrDefault(DEPLOYMENT, "");
        if (command.getStatus() == CommandStatus.COMMAND_SUCCEEDED && !deployment.isEmpty())
            return deployment;
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "command: %s ended as %s%s (expected: SUCCEEDED with a deployment)"
                        .formatted(
                                command.getId(),
                                Printable.status(command.getStatus()),
                                deployment.isEmpty() ? " without a deployment" : ""),
                "See the application's page in the web UI and the agent's log for the cause.");
    }
}
