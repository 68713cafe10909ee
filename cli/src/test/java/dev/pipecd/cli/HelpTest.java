// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.cli.task.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HelpTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application list",
                "application get",
                "application sync",
                "deployment list",
                "deployment wait-status",
                "deployment logs"
            })
    void everyCommandHasHelpWithAnExample(String command) {
        var run = pipectl((command + " --help").split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith("Usage: pipectl " + command)
                .contains(
                        "--address=HOST:PORT",
                        "--api-key-file=FILE",
                        "--insecure",
                        "--cert-file=FILE",
                        "Example")
                .doesNotContain("--log-level", "${");
    }

    @Test
    void withoutACommandTheHelpIsShownAsAMistake() {
        var run = pipectl();

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("Error: Missing required subcommand\nUsage: pipectl COMMAND [FLAGS]\n");
    }

    @Test
    void versionIsOneLine() {
        assertThat(pipectl("version").out())
                .matches("Version: \\d+\\.\\d+\\.\\d+\\S*, GitCommit: \\S+, BuildDate: \\S+\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void aShellCanCompleteIt(String shell) {
        var run = pipectl("completion", shell);

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("wait-status", "--deployment-id", "ROLLING_BACK", "bashcompinit");
    }

    /// `-Dwrite.help=true` writes the pages anew after a change of the commands.
    @Test
    void thePagesAreThoseOfTheCommands() throws IOException {
        var nowhere = new PrintWriter(new StringWriter());
        var wanted =
                pages(Commands.of(new Terminal(nowhere, nowhere, InstantSource.system(), _ -> {})));
        var file = Path.of("src/main/resources/dev/pipecd/cli", HelpPages.FILE);
        if (Boolean.getBoolean("write.help")) Files.writeString(file, wanted);

        assertThat(Files.readString(file))
                .as("%s; `mvn -pl cli test -Dtest=HelpTest -Dwrite.help=true` writes it anew", file)
                .isEqualTo(wanted);
    }

    private static String pages(CommandLine command) {
        var own =
                HelpPages.MARK
                        + command.getCommandSpec().qualifiedName()
                        + "\n"
                        + command.getUsageMessage();
        return own
                + command.getSubcommands().values().stream()
                        .map(HelpTest::pages)
                        .collect(Collectors.joining());
    }

    @Test
    void thePageOfTheInnermostCommandIsShown() {
        assertThat(pipectl("application", "--address", "x:1", "list", "--limit", "3", "-h").out())
                .startsWith("Usage: pipectl application list [FLAGS]");
        assertThat(pipectl("--help").out()).startsWith("Usage: pipectl COMMAND [FLAGS]");
        assertThat(pipectl("../version", "--help").out())
                .startsWith("Usage: pipectl COMMAND [FLAGS]");
    }

    /// Help comes at once only as long as nothing heavy is loaded for it.
    @Test
    void helpLoadsNoLibrary() throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        var process =
                new ProcessBuilder(
                                java,
                                "-Xshare:auto",
                                "-verbose:class",
                                "-cp",
                                classPath,
                                "dev.pipecd.cli.Pipectl",
                                "--help")
                        .redirectErrorStream(true)
                        .start();
        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isZero();
        assertThat(told.lines())
                .anyMatch(line -> line.contains(" dev.pipecd.cli.HelpPages "))
                .noneMatch(line ->
                        line.contains(" picocli.")
                                || line.contains(" io.grpc.")
                                || line.contains(" com.google.protobuf.")
                                || line.contains(" dev.pipecd.wire.")
                                || line.contains(" org.slf4j.")
                                || line.contains(" java.util.logging.Logger "));
    }
}
