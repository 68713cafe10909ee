// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/// The journal's own file, as a process that is killed leaves it: what it was just writing may be
/// there in part.
final class KilledJournal implements AutoCloseable {
    /// Shorter than any record.
    private static final int TORN = 20;

    private final Path home;
    private Journal journal;
    private int lives;

    KilledJournal(Path home) {
        this.home = home;
        this.journal = opened(new byte[0]);
    }

    private Journal opened(byte[] left) {
        try {
            var folder = Files.createDirectories(home.resolve("life-" + lives++));
            Files.write(folder.resolve("journal"), left);
            return Journal.open(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Entry> found() {
        return journal.found();
    }

    void append(List<Entry> entries) {
        journal.append(entries);
    }

    void compact(List<Entry> live) {
        journal.compact(live);
    }

    void kill(RandomGenerator random) {
        var left = left();
        var torn = random.nextInt(Math.min(TORN, left.length) + 1);
        var whole = Arrays.copyOf(left, left.length + torn);
        System.arraycopy(left, 0, whole, left.length, torn);
        open(whole);
    }

    void reopen() {
        open(left());
    }

    void lose() {
        open(new byte[0]);
    }

    private byte[] left() {
        try {
            return Files.readAllBytes(journal.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void open(byte[] left) {
        close();
        journal = opened(left);
    }

    @Override
    public void close() {
        try {
            journal.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
