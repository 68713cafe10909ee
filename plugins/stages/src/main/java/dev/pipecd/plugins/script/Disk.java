// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// What outlives a power cut.
interface Disk {
    Disk REAL = Disk::synced;

    /// Comes back when this file, or the names in this folder, are on it.
    void sync(Path place) throws IOException;

    /// Folders are synced by a channel, which is closed by the very interrupt that asks for a stop:
    /// that is no broken disk. The interrupt is kept for whoever waits next.
    private static void synced(Path place) throws IOException {
        var interrupted = false;
        try {
            while (true) {
                try (var channel = FileChannel.open(place, StandardOpenOption.READ)) {
                    channel.force(true);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) Thread.currentThread().interrupt();
        }
    }
}
