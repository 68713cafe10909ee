// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Duration;
import java.util.List;

/// How pipectl ends after it has followed deployments: the exit code is that of the worst of them.
public final class Outcome {
    public static final int FAILED = 3;
    public static final int CANCELLED = 4;
    public static final int TIME_IS_UP = 5;

    private Outcome() {}

    /// Tells each deployment's end, and gives the exit code.
    public static int told(List<Deployment> ended, Terminal terminal) {
        for (var deployment : ended)
            terminal.progress(
                    "Deployment %s of %s ended as %s%s."
                            .formatted(
                                    deployment.getId(),
                                    Printable.text(deployment.getApplicationName()),
                                    Printable.status(deployment.getStatus()),
                                    Stages.because(deployment.getStatusReason())));
        return ended.stream().mapToInt(each -> code(each.getStatus())).reduce(0, Outcome::worse);
    }

    /// Tells what is not over yet, and gives the exit code.
    public static int timeIsUp(List<Track> tracks, Duration limit, Terminal terminal) {
        for (var track : tracks)
            if (!track.over())
                terminal.progress(
                        "Error: deployment: %s is %s after %s (expected: to have ended). Wait longer with --timeout; it goes on meanwhile."
                                .formatted(
                                        track.deployment().getId(),
                                        Printable.status(track.deployment().getStatus()),
                                        Look.told(limit)));
        return TIME_IS_UP;
    }

    private static int code(DeploymentStatus status) {
        return switch (status) {
            case DEPLOYMENT_SUCCESS -> 0;
            case DEPLOYMENT_CANCELLED -> CANCELLED;
            default -> FAILED;
        };
    }

    /// A failure is worse than a cancellation.
    private static int worse(int one, int other) {
        return one == FAILED || other == FAILED ? FAILED : Math.max(one, other);
    }
}
