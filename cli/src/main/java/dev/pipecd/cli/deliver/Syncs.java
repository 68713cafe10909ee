// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.follow.Orders;
import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/// Syncs that were ordered: each becomes a deployment once an agent has taken it. What goes wrong
/// with one does not keep the others from being followed.
final class Syncs implements Beginning {
    private final Orders orders;
    private final Map<String, String> open = new LinkedHashMap<>();
    private final List<Failure> untold = new ArrayList<>();

    private Syncs(Orders orders) {
        this.orders = orders;
    }

    static Syncs order(Orders orders, SequencedSet<String> applications) {
        var syncs = new Syncs(orders);
        for (var application : applications)
            try {
                syncs.open.put(application, orders.sync(application));
            } catch (Problem problem) {
                syncs.untold.add(Failure.refused(application, problem));
            }
        return syncs;
    }

    @Override
    public News news() {
        var deployments = new ArrayList<String>();
        for (var order : List.copyOf(open.entrySet()))
            try {
                var taken = orders.taken(order.getValue());
                if (taken.isEmpty()) continue;
                deployments.add(Orders.deploymentOf(taken.get()));
                open.remove(order.getKey());
            } catch (Problem problem) {
                untold.add(Failure.refused(order.getKey(), problem));
                open.remove(order.getKey());
            }
        var news = new News(deployments, untold);
        untold.clear();
        return news;
    }

    @Override
    public boolean complete() {
        return open.isEmpty();
    }

    @Override
    public List<Failure> giveUp(Duration after) {
        var late =
                open.entrySet().stream()
                        .map(order ->
                                Failure.late(
                                        order.getKey(), Orders.notTaken(order.getValue(), after)))
                        .toList();
        open.clear();
        return late;
    }
}
