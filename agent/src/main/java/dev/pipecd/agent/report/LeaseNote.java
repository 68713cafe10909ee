// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// What this folder knows of the lease, so that an agent that is started again goes on at once, and
/// learns whether another acted meanwhile.
public final class LeaseNote {
    private static final String LOCAL = "local";

    private final Path file;
    private volatile Kept kept;

    public LeaseNote(Path file) {
        this.file = file;
        this.kept = found(file);
    }

    private static Kept found(Path file) {
        try {
            var lines = Files.readAllLines(file);
            return lines.size() == 2
                    ? new Kept(lines.get(0), Long.parseLong(lines.get(1)))
                    : Kept.NOTHING;
        } catch (NoSuchFileException | NumberFormatException e) {
            return Kept.NOTHING;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Kept read() {
        return kept;
    }

    void holds(String holder) {
        write(new Kept(holder, 0));
    }

    void gaveBack(long term) {
        write(new Kept(kept.holder(), term));
    }

    void local() {
        write(new Kept(LOCAL, 0));
    }

    /// Whole or not at all, also when the machine dies.
    private void write(Kept now) {
        var beside = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.createDirectories(file.toAbsolutePath().resolveSibling(""));
            Files.write(beside, List.of(now.holder(), Long.toString(now.givenBack())));
            try (var written = FileChannel.open(beside, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        kept = now;
    }

    /// @param givenBack the term with which it was given back, or 0
    record Kept(String holder, long givenBack) {
        static final Kept NOTHING = new Kept("", 0);

        boolean known() {
            return !holder.isEmpty();
        }

        boolean isLocal() {
            return holder.equals(LOCAL);
        }

        /// Whether nobody acted since this folder's agent did.
        boolean wasLast(LeaseOffice.Hold stands) {
            return stands.term() == 0 || (stands.holder().isEmpty() && stands.term() == givenBack);
        }
    }
}
