// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("logging") // sets it up anew
final class PipedTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void theOldNameOfTheCommandIsKnownWithItsFlags() {
        assertThat(
                        run(
                                "piped",
                                "--config-file=/no/such/file",
                                "--enable-default-kubernetes-cloud-provider",
                                "--app-manifest-cache-count=150"))
                .isEqualTo(1);
    }

    @Test
    void flagsMayStandBeforeTheCommandAndTheLastOfSeveralCounts() {
        assertThat(run("--log-level", "debug", "--metrics", "version")).isZero();
        assertThat(out.toString()).startsWith("v").hasLineCount(1);
        assertThat(err.toString()).isEmpty();

        assertThat(run("--log-level=debug", "--config-file=@x", "--config-file=/none", "run"))
                .isEqualTo(1);
        assertThat(run("--log-levle=debug", "run")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("Unknown option: '--log-levle' (did you mean '--log-level'?)\n");
    }

    @Test
    void aCommandLikeAnotherIsToldWithAllThereAre() {
        assertThat(run("piper")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("Unknown command: 'piper'")
                .contains("  run, piped ", "  version ");
    }

    private int run(String... args) {
        return Piped.run(
                List.of("host"), Map.of(), new PrintWriter(out), new PrintWriter(err), args);
    }
}
