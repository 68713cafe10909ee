// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import dev.pipecd.plugin.stage.StageRun;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a script wrote, on its way to the stage's log: line by line, from where the agent last had
/// it. Where a line begins and ends depends on the bytes alone, so that a new host cuts them the
/// same.
final class ScriptOutput {
    private static final Logger log = LoggerFactory.getLogger(ScriptOutput.class);
    static final long LIMIT = 10L * 1024 * 1024;
    private static final int LONGEST_LINE = 32 * 1024;
    private static final int CHUNK = 256 * 1024;

    private final RunDirectory directory;
    private Position position;

    /// The next byte to read, the number of the next line, and whether the limit was told.
    private record Position(long offset, long lines, boolean cut) {
        static Position parse(String text) {
            var parts = text.strip().split(" ", -1);
            return new Position(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Boolean.parseBoolean(parts[2]));
        }

        String text() {
            return offset + " " + lines + " " + cut;
        }
    }

    private ScriptOutput(RunDirectory directory, Position position) {
        this.directory = directory;
        this.position = position;
    }

    static ScriptOutput of(RunDirectory directory) throws IOException {
        var saved = RunDirectory.read(directory.position()).map(Position::parse);
        return new ScriptOutput(directory, saved.orElse(new Position(0, 0, false)));
    }

    long lines() {
        return position.lines();
    }

    /// Tells the lines that are complete.
    void forward(StageRun<?> run) throws IOException, InterruptedException {
        forward(run, false);
    }

    /// Tells the rest, also a last line without an end.
    void forwardAll(StageRun<?> run) throws IOException, InterruptedException {
        forward(run, true);
    }

    /// After a stop: what was written is told if it can be; the stop does not wait for it.
    void forwardLast(StageRun<?> run) {
        try {
            for (var more = true; more; ) more = step(run, true);
        } catch (IOException e) {
            log.warn("The last output of a stopped script could not be read: {}", e.toString());
        }
    }

    private void forward(StageRun<?> run, boolean ended) throws IOException, InterruptedException {
        var before = position;
        for (var more = true; more; ) {
            more = step(run, ended);
            if (position.equals(before)) continue;
            // Saved only when the agent has the lines: a new host tells again what it may not have.
            run.awaitLinesTaken();
            save();
            before = position;
        }
        if (position.cut()) keepSmall();
    }

    /// On a full disk it is left: lines are numbered, and one that is told again is the same one.
    private void save() {
        try {
            RunDirectory.write(directory.position(), position.text());
        } catch (IOException e) {
            log.warn("How far a script's output was told is not written down: {}", e.toString());
        }
    }

    /// One chunk of output; true when there may be more.
    private boolean step(StageRun<?> run, boolean ended) throws IOException {
        if (position.cut() || !Files.exists(directory.output())) return false;
        byte[] chunk;
        boolean last;
        try (var file = new RandomAccessFile(directory.output().toFile(), "r")) {
            var length = file.length();
            chunk =
                    new byte
                            [(int)
                                    Math.max(
                                            0,
                                            Math.min(
                                                    CHUNK,
                                                    Math.min(length, LIMIT) - position.offset()))];
            file.seek(position.offset());
            file.readFully(chunk);
            last = ended && position.offset() + chunk.length == length;
            if (length > LIMIT && position.offset() + chunk.length == LIMIT)
                return overLimit(run, chunk);
        }
        var used = tell(run, chunk, last);
        position = new Position(position.offset() + used, run.lines(), false);
        return used > 0;
    }

    private boolean overLimit(StageRun<?> run, byte[] chunk) {
        tell(run, chunk, true);
        run.error(
                "The output is cut here: %d MiB are shown, the script goes on"
                        .formatted(LIMIT / 1024 / 1024));
        position = new Position(LIMIT, run.lines(), true);
        return false;
    }

    private static int tell(StageRun<?> run, byte[] chunk, boolean last) {
        int from = 0;
        while (true) {
            var end = lineEnd(chunk, from, last);
            if (end.isEmpty()) return from;
            run.log(text(chunk, from, end.get()));
            from = end.get();
        }
    }

    /// Behind the line that begins at `from`, if its end can be known.
    private static Optional<Integer> lineEnd(byte[] chunk, int from, boolean last) {
        int longest = Math.min(chunk.length, from + LONGEST_LINE);
        for (int at = from; at < longest; at++) if (chunk[at] == '\n') return Optional.of(at + 1);
        if (longest - from == LONGEST_LINE)
            return Optional.of(wholeCharacters(chunk, from, longest));
        return last && from < chunk.length ? Optional.of(chunk.length) : Optional.empty();
    }

    /// A character of several bytes is not cut in two.
    private static int wholeCharacters(byte[] chunk, int from, int end) {
        int start = end;
        while (start > end - 4 && (chunk[start - 1] & 0xC0) == 0x80) start--;
        int lead = chunk[start - 1] & 0xFF;
        int width = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
        return start - 1 > from && start - 1 + width > end ? start - 1 : end;
    }

    private static String text(byte[] chunk, int from, int end) {
        var text = new String(chunk, from, end - from, StandardCharsets.UTF_8);
        return text.endsWith("\r\n")
                ? text.substring(0, text.length() - 2)
                : text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    /// The script appends, so it writes on at the new end and is never held up.
    private void keepSmall() throws IOException {
        if (!Files.exists(directory.output()) || Files.size(directory.output()) <= LIMIT) return;
        try (var file = new RandomAccessFile(directory.output().toFile(), "rw")) {
            file.setLength(0);
        }
    }
}
