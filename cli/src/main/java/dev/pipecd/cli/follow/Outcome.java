// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.follow;

import dev.pipecd.cli.show.Printable;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import java.time.Duration;
import java.util.List;

/// How pipectl ends after it has followed deployments: the exit code is that of the worst of them.
public final class Outcome {
    public static final int NOT_ORDERED = 1;
    public static final int FAILED = 3;
    public static final int CANCELLED = 4;
    public static final int TIME_IS_UP = 5;

    private static final List<Integer> FROM_BEST_TO_WORST =
            List.of(0, CANCELLED, TIME_IS_UP, NOT_ORDERED, FAILED);

    private Outcome() {}

    /// Tells how each deployment ended, or that it goes on after this time, and gives the exit
    /// code.
    static int told(List<Track> tracks, Duration limit, Terminal terminal) {
        var code = 0;
        for (var track : tracks) {
            var deployment = track.deployment();
            terminal.progress(track.over() ? ended(deployment) : goesOn(deployment, limit));
            code = worse(code, track.over() ? code(deployment.getStatus()) : TIME_IS_UP);
        }
        return code;
    }

    /// Tells what has not begun in time, and gives the exit code.
    public static int late(Problem problem, Terminal terminal) {
        terminal.progress("Error: " + Printable.text(problem.told()));
        return TIME_IS_UP;
    }

    /// Tells whose logs could not be read to their end, and gives the exit code.
    static int withoutLogs(Track track, Terminal terminal) {
        terminal.progress(
                "Error: logs: those of deployment %1$s are not whole (expected: all that its stages wrote). Try `pipectl deployment logs --deployment-id %1$s` later."
                        .formatted(track.deployment().getId()));
        return TIME_IS_UP;
    }

    private static String ended(Deployment deployment) {
        return "Deployment %s of %s ended as %s%s."
                .formatted(
                        deployment.getId(),
                        Printable.text(deployment.getApplicationName()),
                        Printable.status(deployment.getStatus()),
                        Stages.because(deployment.getStatusReason()));
    }

    private static String goesOn(Deployment deployment, Duration limit) {
        return "Error: deployment: %s is %s after %s (expected: to have ended). Wait longer with --timeout; it goes on meanwhile."
                .formatted(
                        deployment.getId(),
                        Printable.status(deployment.getStatus()),
                        Look.told(limit));
    }

    private static int code(DeploymentStatus status) {
        return switch (status) {
            case DEPLOYMENT_SUCCESS -> 0;
            case DEPLOYMENT_CANCELLED -> CANCELLED;
            default -> FAILED;
        };
    }

    public static int worse(int one, int other) {
        return FROM_BEST_TO_WORST.indexOf(one) > FROM_BEST_TO_WORST.indexOf(other) ? one : other;
    }
}
