// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PipedTest {
    private static final String COMMANDS =
            """
            Commands:
              run, piped    Runs the agent.
              check-plugin  Runs a plugin, of whatever language, through what agents rely
                              on.
              version       Tells the version.
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h"})
    void helpListsEveryCommand(String asked) {
        assertThat(run(asked)).isEqualTo(0);
        assertThat(out.toString()).startsWith("Usage: piped [-h] [COMMAND]\n").endsWith(COMMANDS);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "run, Usage: piped run ",
        "piped, Usage: piped run ",
        "check-plugin, Usage: piped check-plugin ",
        "version, Usage: piped version "
    })
    void everyCommandHasItsHelp(String command, String begin) {
        assertThat(run(command, "--help")).isEqualTo(0);
        assertThat(out.toString()).startsWith(begin);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void theVersionIsOneLine() {
        assertThat(run("version")).isEqualTo(0);
        assertThat(out.toString()).startsWith("v").hasLineCount(1);
    }

    @Test
    void noCommandIsAnsweredByAllThereAre() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).startsWith("Name a command.\n").endsWith(COMMANDS);
    }

    @Test
    void anUnknownCommandIsAnsweredByAllThereAre() {
        assertThat(run("check-plugins")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("Unknown command: 'check-plugins' (did you mean 'check-plugin'?)\n")
                .endsWith(COMMANDS);
    }

    @Test
    void aPluginToCheckMustBeNamed() {
        assertThat(run("check-plugin")).isEqualTo(2);
        assertThat(err.toString()).startsWith("Missing required parameter: 'FILE'\n");
    }

    private int run(String... args) {
        return Piped.run(Path.of("/dist"), new PrintWriter(out), new PrintWriter(err), args);
    }
}
