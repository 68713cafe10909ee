// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.GetCommandRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.time.Duration;

/// Orders are carried out by an agent: waits until it has taken one.
public final class Orders {
    private static final String DEPLOYMENT = "TriggeredDeploymentID";
    private static final String REASON = "Reason";

    private final ApiConnection api;
    private final Terminal terminal;

    public Orders(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /// Orders a sync and gives the id of the order.
    public String sync(String applicationId) {
        var order =
                api.ask(stub ->
                                stub.syncApplication(
                                        SyncApplicationRequest.newBuilder()
                                                .setApplicationId(applicationId)
                                                .build()))
                        .getCommandId();
        terminal.progress(
                "Sync of %s is ordered (command %s); waiting for its agent."
                        .formatted(applicationId, Printable.text(order)));
        return order;
    }

    /// The order once an agent has said what came of it.
    public Command handled(String order, Patience patience, Duration limit)
            throws InterruptedException {
        var request = GetCommandRequest.newBuilder().setCommandId(order).build();
        var look = new Look(api, terminal);
        do {
            var seen = look.at(a -> a.ask(stub -> stub.getCommand(request)).getCommand());
            if (seen.isPresent() && seen.get().getStatus() != CommandStatus.COMMAND_NOT_HANDLED_YET)
                return seen.get();
        } while (patience.pause());
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "command: %s is not handled after %s (expected: its agent takes it)"
                        .formatted(order, Look.told(limit)),
                "Check that the application's agent is online; the order stays open and is carried out when it is.");
    }

    /// The deployment that a handled sync made.
    public static String deploymentOf(Command command) {
        var deployment = command.getMetadataOrDefault(DEPLOYMENT, "");
        if (command.getStatus() == CommandStatus.COMMAND_SUCCEEDED && !deployment.isEmpty())
            return deployment;
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "command: %s ended as %s%s (expected: SUCCEEDED with a deployment)%s"
                        .formatted(
                                command.getId(),
                                Printable.status(command.getStatus()),
                                deployment.isEmpty() ? " without a deployment" : "",
                                why(command)),
                "See the application's page in the web UI and the agent's log for the cause.");
    }

    /// For orders that make nothing.
    public static void requireDone(Command command) {
        if (command.getStatus() == CommandStatus.COMMAND_SUCCEEDED) return;
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "command: %s ended as %s (expected: SUCCEEDED)%s"
                        .formatted(
                                command.getId(),
                                Printable.status(command.getStatus()),
                                why(command)),
                "See the deployment's page in the web UI and the agent's log for the cause.");
    }

    /// As our agents tell it, and the control plane of what no agent took; public ones are silent.
    private static String why(Command command) {
        var reason = command.getMetadataOrDefault(REASON, "");
        return reason.isEmpty() ? "" : ": " + Printable.text(reason);
    }
}
