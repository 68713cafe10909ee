// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Documents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The files that the guide shows, as they stand there.
final class MigrationGuideTest {
    private static final Path GUIDE = Path.of("..", "docs", "guides", "migrate-agent.md");

    @Test
    void theOldFileOfTheAgentMeansWhatTheNewOneSays() throws IOException {
        assertThat(meaning(sample(0)))
                .containsExactlyInAnyOrderElementsOf(meaning(sample(1)).toList())
                .anyMatch(line -> line.startsWith("kubernetes production "));
    }

    private static Stream<String> meaning(String file) {
        return Documents.piped("piped.yaml", file.getBytes(UTF_8)).value().plugins().stream()
                .flatMap(plugin ->
                        Stream.concat(
                                Stream.of(plugin.name()),
                                plugin.deployTargets().stream()
                                        .map(target -> target(plugin, target))));
    }

    private static String target(PipedConfig.Plugin plugin, PipedConfig.DeployTarget target) {
        return "%s %s %s".formatted(plugin.name(), target.name(), target.config());
    }

    @Test
    void theOldFileOfAnApplicationIsTakenAsItIs() throws IOException {
        var config = Documents.application("app.pipecd.yaml", sample(2).getBytes(UTF_8)).value();

        assertThat(config.about().platform()).isEqualTo("kubernetes");
        assertThat(config.planner().autoRollback()).isFalse();
        assertThat(config.stages().getLast().timeout()).hasMinutes(10);
    }

    private static String sample(int number) throws IOException {
        return Stream.of(Files.readString(GUIDE).split("```yaml\n", -1))
                .filter(block -> block.startsWith("apiVersion:"))
                .map(block -> block.substring(0, block.indexOf("```")))
                .toList()
                .get(number);
    }
}
