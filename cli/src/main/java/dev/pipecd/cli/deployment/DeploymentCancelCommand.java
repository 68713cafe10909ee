// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.delivery.CancelDeploymentRequest;
import dev.pipecd.wire.delivery.Rollback;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pipectl deployment cancel`.
@Command(
        name = "cancel",
        customSynopsis = "pipectl deployment cancel --deployment-id ID [FLAGS]",
        description = {
            "Cancels a deployment, and waits until the agent has taken the order.",
            "Not offered by the public control plane."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExample:%n",
        footer = "  pipectl deployment cancel --deployment-id ID --rollback never ...")
public final class DeploymentCancelCommand implements Callable<Integer> {
    enum Way {
        CONFIGURED,
        ALWAYS,
        NEVER
    }

    private final ConnectionFlags connection;
    private final Terminal terminal;

    @Option(
            names = "--deployment-id",
            paramLabel = "ID",
            required = true,
            description = "The deployment's id. Required.")
    String id = "";

    @Option(
            names = "--rollback",
            paramLabel = "configured|always|never",
            description =
                    "Whether what was changed so far is taken back: as the application is configured (the default), always or never.")
    Way rollback = Way.CONFIGURED;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = LengthOfTime.class,
            description = "Gives up waiting for the agent after this time. Default: 5m.")
    Duration limit = Duration.ofMinutes(5);

    public DeploymentCancelCommand(ConnectionFlags connection, Terminal terminal) {
        this.connection = connection;
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        var request =
                CancelDeploymentRequest.newBuilder()
                        .setDeploymentId(id)
                        .setRollback(onTheWire())
                        .build();
        try (var api = connection.open(terminal)) {
            new Steering(api, terminal, limit)
                    .order("cancel", ours -> ours.cancelDeployment(request).getCommandId());
        }
        terminal.result("Cancelled deployment " + id);
        return 0;
    }

    private Rollback onTheWire() {
        return switch (rollback) {
            case CONFIGURED -> Rollback.ROLLBACK_AS_CONFIGURED;
            case ALWAYS -> Rollback.ROLLBACK_ALWAYS;
            case NEVER -> Rollback.ROLLBACK_NEVER;
        };
    }
}
