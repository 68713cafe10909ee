// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The script in a real bash, asked as bash asks when somebody presses the tab key.
class CompletionTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({
        "pipectl depl, deployment",
        "pipectl deployment wait, wait-status",
        "pipectl deployment cancel --roll, --rollback",
        "pipectl transfer restore app, application",
        "pipectl event register --commit-h, --commit-hash",
        "pipectl deliver --start, --start-timeout"
    })
    void bashCompletesCommandsAndFlags(String typed, String completed)
            throws IOException, InterruptedException {
        assertThat(completions(typed)).contains(completed);
    }

    @Test
    void bashCompletesValues() throws IOException, InterruptedException {
        assertThat(completions("pipectl deployment list --status ROLL")).contains("ROLLING_BACK");
        assertThat(completions("pipectl application list -o j")).contains("json");
    }

    private List<String> completions(String typed) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("completion"), pipectl("completion", "bash").out());
        var ask =
                """
                . ./completion
                spec=$(complete -p pipectl); function=${spec#*-F }; function=${function%% *}
                COMP_WORDS=($1) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1}
                "$function" pipectl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """;
        var process =
                new ProcessBuilder("bash", "--norc", "-c", ask, "bash", typed)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(told).isZero();
        return told.lines().map(String::strip).toList();
    }
}
