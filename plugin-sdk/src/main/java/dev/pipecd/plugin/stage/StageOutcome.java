// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.util.List;

/// How a stage ended, with the result of each target where there are several.
public sealed interface StageOutcome {
    List<TargetResult> targets();

    /// Failed when one of the targets did, and when there was none: nothing has been changed.
    static StageOutcome of(List<TargetResult> targets) {
        if (targets.isEmpty())
            return new Failed("there was no target to change (expected: at least one)");
        return targets.stream().anyMatch(each -> each.result() == TargetResult.Result.FAILED)
                ? new Failed("not every target could be changed", targets)
                : new Succeeded(targets);
    }

    record Succeeded(List<TargetResult> targets) implements StageOutcome {
        public Succeeded {
            targets = List.copyOf(targets);
        }

        public Succeeded() {
            this(List.of());
        }
    }

    record Failed(String reason, List<TargetResult> targets) implements StageOutcome {
        public Failed {
            targets = List.copyOf(targets);
        }

        public Failed(String reason) {
            this(reason, List.of());
        }
    }

    /// There was nothing to do; the pipeline goes on.
    record Skipped(String reason, List<TargetResult> targets) implements StageOutcome {
        public Skipped {
            targets = List.copyOf(targets);
        }

        public Skipped(String reason) {
            this(reason, List.of());
        }
    }

    /// The rest of the pipeline is not needed; the deployment succeeds.
    record Exited(String reason, List<TargetResult> targets) implements StageOutcome {
        public Exited {
            targets = List.copyOf(targets);
        }

        public Exited(String reason) {
            this(reason, List.of());
        }
    }
}
