// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// How much of its heap a program takes, in a JVM with the collector of the distribution.
final class SmallHeapTest {
    private static final long MIB = 1 << 20;

    @Test
    void aHeapStaysNearWhatIsInUse() throws Exception {
        assertThat(mostTaken("kept small")).isLessThan(96);
    }

    @Test
    void leftToTheCollectorItGrowsToItsCap() throws Exception {
        assertThat(mostTaken("left alone")).isGreaterThan(128);
    }

    @Test
    void itMayGrowByAThirdAndByEightMebibytesAtLeast() {
        assertThat(SmallHeap.limit(90 * MIB, 240 * MIB)).isEqualTo(120 * MIB);
        assertThat(SmallHeap.limit(10 * MIB, 240 * MIB)).isEqualTo(18 * MIB);
    }

    @Test
    void nearTheCapItIsStillLookedAfter() {
        assertThat(SmallHeap.limit(200 * MIB, 240 * MIB)).isEqualTo(228 * MIB);
        assertThat(SmallHeap.limit(239 * MIB, 240 * MIB)).isLessThan(240 * MIB);
    }

    @Test
    void whatIsInUseNearTheCapDoesNotHaveItCleanedAllTheTime() {
        assertThat(SmallHeap.limit(226 * MIB, 240 * MIB) - 226 * MIB)
                .isGreaterThanOrEqualTo(8 * MIB);
    }

    private static int mostTaken(String how) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var program =
                new ProcessBuilder(
                                java,
                                "-XX:+UseSerialGC",
                                "-Xms32m",
                                "-Xmx192m",
                                "-Xmn8m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Busy.class.getName(),
                                how)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var told = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor()).isZero();
        return Integer.parseInt(told.strip());
    }

    /// Keeps 30 MiB, and a little of all the rest for so long that it becomes old; tells how much
    /// heap it took at most, in MiB.
    static final class Busy {
        private static final int ROUNDS = 40;
        private static final int IN_A_ROUND = 1_000;
        private static final int OLD_ENOUGH = 4_000;
        private static final Duration PATIENCE = Duration.ofMinutes(2);

        public static void main(String[] args) {
            if (args[0].equals("kept small")) SmallHeap.keep();
            List<byte[]> kept = new ArrayList<>();
            for (var n = 0; n < 30; n++) kept.add(new byte[(int) MIB]);
            var passing = new ArrayDeque<byte[]>();
            var memory = ManagementFactory.getMemoryMXBean();
            var most = 0L;
            for (var round = 0; round < ROUNDS; round++) {
                for (var n = 0; n < IN_A_ROUND; n++) {
                    passing.add(new byte[4096]);
                    if (passing.size() > OLD_ENOUGH) passing.remove();
                }
                awaitCleaned();
                most = Math.max(most, memory.getHeapMemoryUsage().getCommitted());
            }
            System.out.println(most / MIB + kept.size() - 30);
        }

        /// It is done beside the program, which must not run away from it on a busy machine.
        private static void awaitCleaned() {
            var end = System.nanoTime() + PATIENCE.toNanos();
            for (var pool : ManagementFactory.getMemoryPoolMXBeans())
                while (pool.getName().equals("Tenured Gen") && pool.isUsageThresholdExceeded()) {
                    if (System.nanoTime() > end) throw new IllegalStateException("not cleaned");
                    Thread.onSpinWait();
                }
        }
    }
}
