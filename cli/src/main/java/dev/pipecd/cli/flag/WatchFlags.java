// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import picocli.CommandLine.Option;

/// `--watch`: follows a deployment to its end.
public final class WatchFlags {
    @Option(
            names = {"-w", "--watch"},
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description =
                    "Follows the deployment to its end and exits by its outcome: a view that is redrawn in a terminal, a line a change elsewhere.")
    boolean watch;

    @Option(
            names = "--logs",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description = "With --watch, what the stages write too.")
    boolean logs;

    public boolean watch() {
        if (logs && !watch)
            throw new CalledWrongly(
                    "--logs: without --watch (expected: both; `pipectl deployment logs` shows the logs alone)");
        return watch;
    }

    public boolean logs() {
        return logs;
    }
}
