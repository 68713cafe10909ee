// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/// Remembers on the disk that a stage was handed to its plugin, where that must not happen twice.
record BeginMark(Path file) {
    /// The protocol has stages carry on when they are called again. The script plugin of the public
    /// system runs the script once more instead.
    private static final Set<String> SCRIPTS = Set.of("SCRIPT_RUN", "SCRIPT_RUN_ROLLBACK");

    static boolean isNeeded(String stage, boolean carriesOn) {
        return !carriesOn && SCRIPTS.contains(stage);
    }

    /// Returns once; after that, also in another life of the agent, it throws.
    void make(String stage, String plugin) {
        var folder = file.toAbsolutePath().resolveSibling("");
        try {
            Files.createDirectories(folder);
            if (!isFirst()) throw begun(plugin);
            force(folder);
            force(folder.resolveSibling("")); // it may be as young as what it holds
        } catch (IOException e) {
            throw new Problem(
                    Problem.Code.STORE_UNAVAILABLE,
                    "stage: %s is not begun: %s (expected: a folder the agent can write)"
                            .formatted(stage, e),
                    "Give the agent's data directory write permission.",
                    e);
        }
    }

    private boolean isFirst() throws IOException {
        try {
            Files.createFile(file);
            return true;
        } catch (FileAlreadyExistsException _) {
            return false;
        }
    }

    private static Problem begun(String plugin) {
        return new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "outcome: not known, because the agent or its plugin ended while it ran (expected: a plugin that carries on)",
                "It is not run twice. See what it left and sync again, or let `builtin:scriptrun` take the place of plugin %s: its scripts live on and are taken up."
                        .formatted(plugin));
    }

    /// A reboot must not forget the names in it.
    private static void force(Path folder) throws IOException {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
