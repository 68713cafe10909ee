// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Until a deployment is where it should be, or cannot get there any more.
public final class DeploymentWait {
    private final ApiConnection api;
    private final Terminal terminal;

    public DeploymentWait(ApiConnection api, Terminal terminal) {
        this.api = api;
        this.terminal = terminal;
    }

    /// The statuses are public names, `DEPLOYMENT_SUCCESS`.
    public void until(String id, Set<String> statuses, Patience patience, Duration limit)
            throws InterruptedException {
        var track = new Track(id);
        var following = new Following(api, terminal, false);
        do {
            if (following.round(List.of(track))) patience.somethingChanged();
            if (track.unseen()) continue;
            var deployment = track.deployment();
            if (statuses.contains(deployment.getStatus().name())) {
                terminal.result(
                        "Deployment "
                                + id
                                + " reached "
                                + Printable.status(deployment.getStatus()));
                return;
            }
            if (track.over()) throw elsewhere(deployment, statuses);
        } while (patience.pause());
        var last = track.unseen() ? "not seen" : Printable.status(track.deployment().getStatus());
        throw new Problem(
                Code.PRECONDITION_FAILED,
                "deployment: %s is %s after %s (expected: %s)"
                        .formatted(id, last, Look.told(limit), names(statuses)),
                "Wait longer with --timeout, or see `pipectl deployment logs --deployment-id %s`."
                        .formatted(id));
    }

    private static Problem elsewhere(Deployment deployment, Set<String> statuses) {
        var reason =
                deployment.getStatusReason().isEmpty()
                        ? ""
                        : ": " + Printable.text(deployment.getStatusReason());
        return new Problem(
                Code.PRECONDITION_FAILED,
                "deployment: %s ended as %s (expected: %s)%s"
                        .formatted(
                                deployment.getId(),
                                Printable.status(deployment.getStatus()),
                                names(statuses),
                                reason),
                "See `pipectl deployment logs --deployment-id %s`.".formatted(deployment.getId()));
    }

    private static String names(Set<String> statuses) {
        return statuses.stream()
                .map(DeploymentStatus::valueOf)
                .sorted()
                .map(Printable::status)
                .collect(Collectors.joining(" or "));
    }
}
