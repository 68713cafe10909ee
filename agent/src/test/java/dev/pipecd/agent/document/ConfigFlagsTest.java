// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

final class ConfigFlagsTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec: {projectID: p, pipedID: i, pipedKeyData: a2V5, apiAddress: "localhost:8080"}
            """;

    @TempDir Path folder;

    @Test
    void aFileIsRead() throws Exception {
        var file = Files.writeString(folder.resolve("piped.yaml"), PIPED);

        assertThat(load("--config-file=" + file).value().identity().pipedId().value())
                .isEqualTo("i");
    }

    @Test
    void dataIsDecodedAlsoWithLineBreaks() throws Exception {
        var data = Base64.getMimeEncoder().encodeToString(PIPED.getBytes(StandardCharsets.UTF_8));

        assertThat(load("--config-data=" + data).value().identity().pipedId().value())
                .isEqualTo("i");
    }

    @Test
    void dataThatIsNotBase64IsNotQuoted() {
        assertThatThrownBy(() -> load("--config-data=kind: Piped"))
                .hasMessage("--config-data: ****** (expected: Base64)");
    }

    @Test
    void exactlyOneFlagIsNeeded() {
        var told =
                "--config-file, --config-data, --config-gcp-secret, --config-aws-secret, --config-aws-ssm-parameter: %d given (expected: exactly one)";

        assertThatThrownBy(() -> load()).hasMessage(told.formatted(0));
        assertThatThrownBy(() -> load("--config-file=a", "--config-aws-ssm-parameter=b"))
                .hasMessage(told.formatted(2));
    }

    @Test
    void aFileThatCannotBeReadIsTold() {
        assertThatThrownBy(() -> load("--config-file=/no/such"))
                .hasMessage("--config-file: /no/such (expected: a readable file)");
        assertThatThrownBy(() -> load("--config-file=" + folder))
                .isInstanceOf(Problem.class)
                .hasMessage("--config-file: %s (expected: a readable file)".formatted(folder));
    }

    @Test
    void aPipeIsRead() throws Exception {
        var pipe = folder.resolve("pipe").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        var file = Files.writeString(folder.resolve("piped.yaml"), PIPED).toString();
        var writer =
                new ProcessBuilder("sh", "-c", "cat \"$1\" > \"$2\"", "sh", file, pipe).start();

        assertThat(load("--config-file=" + pipe).value().identity().pipedId().value())
                .isEqualTo("i");

        assertThat(writer.waitFor()).isZero();
    }

    private static Loaded<PipedConfig> load(String... args) throws Exception {
        var line = new Line();
        new CommandLine(line).parseArgs(args);
        return line.config.load(Map.of(), InstantSource.system());
    }

    @Command
    private static final class Line {
        @Mixin ConfigFlags config = new ConfigFlags();
    }
}
