// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock("logging") // sets it up anew
@ResourceLock(Resources.SYSTEM_ERR)
final class PipedTest {
    @TempDir Path directory;

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

    @Test
    void aDataDirectoryThatCannotBeWrittenIsToldWithAdvice() throws Exception {
        var config =
                Files.writeString(
                        directory.resolve("piped.yaml"),
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Piped
                        spec: {projectID: p, pipedID: i, pipedKeyData: a2V5, apiAddress: "localhost:1"}
                        """);
        var inTheWay = Files.createFile(directory.resolve("data"));
        var log = new ByteArrayOutputStream();
        var before = System.err;
        System.setErr(new PrintStream(log, true, UTF_8));
        try {
            assertThat(run("run", "--config-file=" + config, "--data-dir=" + inTheWay))
                    .isEqualTo(1);
        } finally {
            System.setErr(before);
        }

        assertThat(log.toString(UTF_8))
                .contains(
                        "data directory: java.nio.file.",
                        inTheWay.toString(),
                        "(expected: a folder the agent can write). Give the user the agent runs as write permission"
                                + " to it, or name another one with --data-dir.");
    }

    private int run(String... args) {
        return Piped.run(
                List.of("host"), Map.of(), new PrintWriter(out), new PrintWriter(err), args);
    }
}
