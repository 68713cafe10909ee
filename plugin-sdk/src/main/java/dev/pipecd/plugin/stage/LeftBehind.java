// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.nio.file.Path;

/// Ends what a stage started and an earlier host left running; asked when a stage is stopped that
/// no longer runs here.
@FunctionalInterface
public interface LeftBehind {
    void end(Path stageDirectory) throws InterruptedException;
}
