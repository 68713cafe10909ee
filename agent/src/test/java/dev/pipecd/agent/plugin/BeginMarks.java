// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import java.nio.file.Path;

/// The agent's own mark of a stage that was begun, for simulations.
public final class BeginMarks {
    private BeginMarks() {}

    public static void make(Path file, String stage, String plugin) {
        new BeginMark(file).make(stage, plugin);
    }
}
