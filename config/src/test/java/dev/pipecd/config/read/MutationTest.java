// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pipecd.config.ConfigException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Documents damaged at random are read or refused with places in them, and nothing else ever
/// happens.
final class MutationTest {
    private static final int ROUNDS = 200;
    private static final List<String> SCRAPS =
            List.of(
                    "\0",
                    "\t",
                    "\n",
                    ": ",
                    "- ",
                    "&a ",
                    "*a",
                    "<<: *a\n",
                    "!!binary ",
                    "!!int ",
                    "!x ",
                    "? ",
                    "|",
                    ">",
                    "'",
                    "\"",
                    "\\x",
                    "\"\\U00110000\"",
                    "{",
                    "}",
                    "[",
                    "]",
                    "#",
                    "%YAML 9.9\n",
                    "%TAG ! x\n",
                    "---\n",
                    "...\n",
                    "\uFEFF",
                    "\u0085",
                    "\u2028",
                    "~",
                    "null",
                    "y",
                    ".inf",
                    "1e999",
                    "99999999999999999999",
                    "0x",
                    "-",
                    "2026-01-01",
                    "env:NONE",
                    "file:/",
                    "@",
                    "`",
                    ",");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void damagedApplicationsAreReadOrRefused(long seed) {
        hammer(seed, ApplicationDocumentTest.FULL, Documents::application);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void damagedOldApplicationsAreReadOrRefused(long seed) {
        hammer(seed, OldApplicationDocumentTest.KUBERNETES, Documents::application);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void damagedPipedsAreReadOrRefused(long seed) {
        hammer(seed, PipedDocumentTest.FULL, Documents::piped);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void damagedOldPipedsAreReadOrRefused(long seed) {
        hammer(seed, OldPipedDocumentTest.FULL, Documents::piped);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void damagedControlPlanesAreReadOrRefused(long seed) {
        hammer(seed, ControlPlaneDocumentTest.FULL, Documents::controlPlane);
    }

    private static void hammer(
            long seed, String document, BiFunction<String, byte[], Object> reading) {
        var random = new SplittableRandom(seed);
        var refused = 0;
        for (var round = 0; round < ROUNDS; round++) {
            var damaged =
                    random.nextBoolean() ? inBytes(document, random) : inLines(document, random);
            try {
                assertThat(reading.apply("doc", damaged)).isNotNull();
            } catch (ConfigException e) {
                refused++;
                assertThat(e.mistakes())
                        .isNotEmpty()
                        .allMatch(mistake ->
                                mistake.line() > 0
                                        && mistake.column() > 0
                                        && !mistake.text().contains("\n"));
            } catch (Throwable e) {
                fail(
                        "seed: %d, round: %d (expected: read or refused)%n%s"
                                .formatted(
                                        seed, round, new String(damaged, StandardCharsets.UTF_8)),
                        e);
            }
        }
        // Otherwise the damage would be too gentle to prove anything, or too coarse.
        assertThat(refused).isBetween(ROUNDS / 10, ROUNDS - ROUNDS / 50);
    }

    private static byte[] inBytes(String document, SplittableRandom random) {
        var bytes = document.getBytes(StandardCharsets.UTF_8);
        for (var i = random.nextInt(1, 4); i > 0; i--) {
            var at = random.nextInt(bytes.length);
            if (random.nextBoolean()) {
                bytes[at] =
                        (byte)
                                (random.nextBoolean()
                                        ? random.nextInt(256)
                                        : random.nextInt(32, 127));
            } else {
                bytes =
                        spliced(
                                bytes,
                                at,
                                SCRAPS.get(random.nextInt(SCRAPS.size())),
                                random.nextInt(4));
            }
        }
        return bytes;
    }

    private static byte[] spliced(byte[] bytes, int at, String scrap, int dropped) {
        var text = scrap.getBytes(StandardCharsets.UTF_8);
        var rest = Arrays.copyOfRange(bytes, Math.min(bytes.length, at + dropped), bytes.length);
        var all = Arrays.copyOf(bytes, at + text.length + rest.length);
        System.arraycopy(text, 0, all, at, text.length);
        System.arraycopy(rest, 0, all, at + text.length, rest.length);
        return all;
    }

    private static byte[] inLines(String document, SplittableRandom random) {
        var lines = new ArrayList<>(document.lines().toList());
        for (var i = random.nextInt(1, 4); i > 0; i--) {
            var at = random.nextInt(lines.size());
            var line = lines.get(at);
            switch (random.nextInt(6)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(random.nextInt(lines.size()), line);
                case 2 -> Collections.swap(lines, at, random.nextInt(lines.size()));
                case 3 -> lines.set(at, "  " + line);
                case 4 ->
                        lines.set(
                                at,
                                line.replaceFirst(
                                        ":.*",
                                        ": "
                                                + SCRAPS.get(random.nextInt(SCRAPS.size()))
                                                        .replace("\\", "\\\\")
                                                        .replace("$", "\\$")));
                default -> lines.set(at, line.replaceFirst("[A-Za-z]", "X"));
            }
        }
        return (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
