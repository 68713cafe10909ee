// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a plugin process prints: goes into the agent's log line by line, and its end is kept for
/// when the process dies.
final class ProcessOutput {
    private static final int LINES_KEPT = 20;
    private static final int LONGEST_LINE = 8 * 1024;
    private static final int LINES_A_SECOND = 500;

    private final Logger log;
    private final ArrayDeque<String> last = new ArrayDeque<>();
    private final Thread reader;
    private long secondBegan = System.nanoTime();
    private int linesInSecond;

    ProcessOutput(Process process, String logName) {
        this.log = LoggerFactory.getLogger(logName);
        var output = process.getInputStream();
        reader = Thread.ofVirtual().name(logName + "-output").start(() -> read(output));
    }

    /// The last lines, after what is still on its way has come.
    List<String> lastLines() throws InterruptedException {
        // A script of a plugin may hold the pipe open after the host has died.
        reader.join(Duration.ofMillis(500));
        synchronized (last) {
            return List.copyOf(last);
        }
    }

    private void read(InputStream stream) {
        try (var characters = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            readLines(characters);
            tellWhatIsLeftOut();
        } catch (IOException e) {
            log.debug("output ends", e);
        }
    }

    private void readLines(Reader characters) throws IOException {
        var line = new StringBuilder();
        var buffer = new char[4096];
        for (var n = characters.read(buffer); n >= 0; n = characters.read(buffer))
            for (var i = 0; i < n; i++) {
                if (buffer[i] == '\n') tell(line);
                else if (line.length() < LONGEST_LINE)
                    line.append(
                            Character.isISOControl(buffer[i]) && buffer[i] != '\t'
                                    ? '?'
                                    : buffer[i]);
            }
        tell(line);
    }

    private void tell(StringBuilder line) {
        var text = line.toString().stripTrailing();
        line.setLength(0);
        if (text.isEmpty()) return;
        if (withinBudget()) log.info("{}", text);
        synchronized (last) {
            last.addLast(text);
            if (last.size() > LINES_KEPT) last.removeFirst();
        }
    }

    /// A plugin gone wild must not fill the agent's disk.
    private boolean withinBudget() {
        var now = System.nanoTime();
        if (now - secondBegan >= 1_000_000_000L) {
            tellWhatIsLeftOut();
            secondBegan = now;
        }
        return ++linesInSecond <= LINES_A_SECOND;
    }

    private void tellWhatIsLeftOut() {
        if (linesInSecond > LINES_A_SECOND)
            log.warn("{} line(s) are left out", linesInSecond - LINES_A_SECOND);
        linesInSecond = 0;
    }
}
