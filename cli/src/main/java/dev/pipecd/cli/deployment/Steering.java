// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deployment;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.follow.Orders;
import dev.pipecd.cli.follow.Patience;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc.DeliveryServiceBlockingStub;
import java.time.Duration;
import java.util.function.Function;

/// Orders to a running deployment, until its agent has taken them.
final class Steering {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final ApiConnection api;
    private final Terminal terminal;
    private final Duration limit;

    Steering(ApiConnection api, Terminal terminal, Duration limit) {
        this.api = api;
        this.terminal = terminal;
        this.limit = limit;
    }

    void order(String what, Function<DeliveryServiceBlockingStub, String> call)
            throws InterruptedException {
        var command = api.askOurs(call).orElseThrow(() -> notOffered(what));
        terminal.progress(
                "The order (command %s) is given; waiting for the agent.".formatted(command));
        var patience = new Patience(terminal, INTERVAL, limit);
        Orders.requireDone(
                new Orders(api, terminal)
                        .taken(command, patience)
                        .orElseThrow(() -> Orders.notTaken(command, limit)));
    }

    private static Problem notOffered(String what) {
        return new Problem(
                Code.PRECONDITION_FAILED,
                "deployment %s: not offered by this control plane (expected: the service pipecd.delivery.v1)"
                        .formatted(what),
                "The public control plane lets only people in its web UI do this.");
    }
}
