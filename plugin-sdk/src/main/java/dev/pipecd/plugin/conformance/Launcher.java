// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Starts the plugin that is looked at.
public interface Launcher {
    Program start(List<String> arguments) throws IOException;

    /// A plugin that was started.
    interface Program {
        boolean alive();

        /// SIGTERM.
        void terminate();

        /// SIGKILL.
        void kill();

        boolean awaitEnd(Duration bound) throws InterruptedException;

        /// What it printed last.
        String told();
    }
}
