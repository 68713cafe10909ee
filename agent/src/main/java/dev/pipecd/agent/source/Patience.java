// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// How long a git process is waited for.
sealed interface Patience {
    /// Comes back when the process has ended, or is to be ended.
    Waited await(Process process) throws InterruptedException;

    sealed interface Waited {}

    record Ended() implements Waited {}

    /// @param bytes that had come
    record Over(Duration deadline, long bytes) implements Waited {}

    /// So long, whatever it does.
    record Hard(Duration deadline) implements Patience {
        @Override
        public Waited await(Process process) throws InterruptedException {
            return process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)
                    ? new Ended()
                    : new Over(deadline, 0);
        }
    }

    /// As long as in each such time something came or was worked on: a clone that was broken off
    /// begins from nothing, so one that takes longer would never end. Still not for ever.
    ///
    /// @param before what was in the mirror before it began
    record WhileItWorks(Duration deadline, Path mirror, long before) implements Patience {
        private static final int MOST_TIMES = 144;

        static WhileItWorks on(Path mirror, Duration deadline) {
            return new WhileItWorks(deadline, mirror, Pulse.size(mirror));
        }

        @Override
        public Waited await(Process process) throws InterruptedException {
            var last = new Pulse(before, Duration.ZERO);
            for (var times = 0; times < MOST_TIMES; times++) {
                if (process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) return new Ended();
                var now = Pulse.of(process, mirror);
                if (!now.isOtherThan(last)) break;
                last = now;
            }
            return new Over(deadline, Math.max(0, last.bytes() - before));
        }
    }

    /// What a process has done so far.
    ///
    /// @param work of the processors, also while it takes apart what came
    record Pulse(long bytes, Duration work) {
        /// Waiting costs a little work, too.
        private static final Duration SOME = Duration.ofSeconds(1);

        static Pulse of(Process process, Path mirror) {
            return new Pulse(
                    size(mirror),
                    Stream.concat(Stream.of(process.toHandle()), process.descendants())
                            .map(one -> one.info().totalCpuDuration().orElse(Duration.ZERO))
                            .reduce(Duration.ZERO, Duration::plus));
        }

        boolean isOtherThan(Pulse before) {
            return bytes != before.bytes || work.minus(before.work).abs().compareTo(SOME) >= 0;
        }

        /// Of a folder that is being written: what is gone again does not count.
        private static long size(Path folder) {
            var size = new long[1];
            try {
                Files.walkFileTree(
                        folder,
                        new SimpleFileVisitor<>() {
                            @Override
                            public FileVisitResult visitFile(Path file, BasicFileAttributes is) {
                                size[0] += is.size();
                                return FileVisitResult.CONTINUE;
                            }

                            @Override
                            public FileVisitResult visitFileFailed(Path file, IOException e) {
                                return FileVisitResult.CONTINUE;
                            }
                        });
            } catch (IOException e) {
                // Half a folder is looked through: as good as any other number to compare with.
                return size[0];
            }
            return size[0];
        }
    }
}
