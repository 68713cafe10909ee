// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// Kills the plugin host of an installation and keeps its successors from coming up, each halted as
/// soon as it is seen, until this is closed.
final class HostAway implements AutoCloseable {
    private final Path pidFile;
    private final Path directory;
    private final Set<Long> halted = ConcurrentHashMap.newKeySet();
    private final Thread watch;
    private volatile boolean over;

    private HostAway(Installation at) {
        this.pidFile = at.dir().resolve("piped/plugins/plugin-host.pid");
        this.directory = at.dir();
        this.watch = Thread.ofPlatform().name("host-away").unstarted(this::watch);
    }

    /// Comes back when the host is dead and the one after it halted.
    static HostAway begin(Installation at) {
        var away = new HostAway(at);
        var before = at.await("the plugin host's process id", away::pid);
        kill(before);
        away.halted.add(before);
        away.watch.start();
        at.await(
                "another plugin host",
                () -> away.halted.size() > 1 ? Optional.of(true) : Optional.empty());
        return away;
    }

    private void watch() {
        while (!over) {
            pid().filter(pid -> !halted.contains(pid)).ifPresent(this::halt);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void halt(long pid) {
        Shell.call(directory, List.of("kill", "-STOP", Long.toString(pid)));
        halted.add(pid);
    }

    private Optional<Long> pid() {
        try {
            return Files.readAllLines(pidFile).stream().findFirst().map(Long::parseLong);
        } catch (IOException | NumberFormatException notThere) {
            return Optional.empty();
        }
    }

    private static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    /// The next host comes up.
    @Override
    public void close() throws InterruptedException {
        over = true;
        watch.join();
        halted.forEach(HostAway::kill);
    }
}
