// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A script and all it started: the processes of its session.
record ProcessGroup(long id) {
    private static final Logger log = LoggerFactory.getLogger(ProcessGroup.class);
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofMillis(20);

    /// Asks first, then does not ask. Comes back as soon as nobody is left; true when somebody was.
    boolean end() throws IOException, InterruptedException {
        if (members().isEmpty()) return false;
        signal("TERM");
        if (emptyWithin(GRACE)) return true;
        signal("KILL");
        if (!emptyWithin(GRACE))
            log.warn("Processes {} of a stopped script do not end; end them by hand", members());
        return true;
    }

    private boolean emptyWithin(Duration bound) throws IOException, InterruptedException {
        var deadline = System.nanoTime() + bound.toNanos();
        while (!members().isEmpty()) {
            if (System.nanoTime() > deadline) return false;
            var _ = new CountDownLatch(1).await(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        }
        return true;
    }

    private void signal(String name) throws IOException, InterruptedException {
        // The group at once, so that nobody slips away by forking; then those that made groups of
        // their own.
        if (members().stream().anyMatch(member -> !inGroupOfItsOwn(member))) send(name, "-" + id);
        for (var member : members()) {
            if (inGroupOfItsOwn(member)) send(name, String.valueOf(member));
        }
    }

    private boolean inGroupOfItsOwn(long member) {
        return ProcessStat.of(member).filter(stat -> stat.group() != id).isPresent();
    }

    /// By the shell's own `kill`: the program of that name is missing on small systems.
    private static void send(String name, String whom) throws IOException, InterruptedException {
        new ProcessBuilder(
                        "/bin/sh", "-c", "kill -s \"$1\" -- \"$2\" 2> /dev/null", "sh", name, whom)
                .start()
                .waitFor();
    }

    List<Long> members() throws IOException {
        try (var entries = Files.list(Path.of("/proc"))) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> name.matches("\\d+"))
                    .map(Long::valueOf)
                    .filter(this::has)
                    .toList();
        }
    }

    /// By the session alone: a group of this number in another one is somebody else's.
    private boolean has(long pid) {
        return ProcessStat.of(pid).filter(stat -> stat.runs() && stat.session() == id).isPresent();
    }
}
