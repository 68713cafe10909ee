// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// What outlives a power cut.
interface Disk {
    Disk REAL = Disk::synced;

    /// Comes back when this file, or the names in this folder, are on it.
    void sync(Path place) throws IOException;

    private static void synced(Path place) throws IOException {
        try (var channel = FileChannel.open(place, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
