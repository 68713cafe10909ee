// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

/// How a plugin says a stage ended.
public sealed interface StageAnswer {
    record Succeeded() implements StageAnswer {}

    record Failed(String reason) implements StageAnswer {}

    /// Nothing was to be done; the pipeline goes on.
    record Skipped(String reason) implements StageAnswer {}

    /// The rest of the pipeline is not needed; the deployment succeeds.
    record Exited(String reason) implements StageAnswer {}

    /// It ended because it was told to.
    record Stopped(String reason) implements StageAnswer {}
}
