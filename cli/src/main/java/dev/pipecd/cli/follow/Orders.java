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
import java.util.Optional;

/// Orders are carried out by an agent: waits until it has taken one.
public final class Orders {
    private static final String DEPLOYMENT = "TriggeredDeploymentID";
    private static final String REASON = "Reason";

    private final ApiConnection api;
    private final Terminal terminal;
    private final Look look;

    public Orders(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
        this.look = new Look(api, terminal);
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

    /// The order once an agent has said what came of it; empty until then.
    public Optional<Command> taken(String order) {
        var request = GetCommandRequest.newBuilder().setCommandId(order).build();
        return look.at(a -> a.ask(stub -> stub.getCommand(request)).getCommand())
                .filter(seen -> seen.getStatus() != CommandStatus.COMMAND_NOT_HANDLED_YET);
    }

    /// Empty when the time was up before.
    public Optional<Command> taken(String order, Patience patience) throws InterruptedException {
        do {
            var taken = taken(order);
            if (taken.isPresent()) return taken;
        } while (patience.pause());
        return Optional.empty();
    }

    public static Problem notTaken(String order, Duration limit) {
        return new Problem(
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
