// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.cli.follow.Look;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class HelpTest {
    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasHelpWithAnExample(String command) {
        var run = pipectl((command + " --help").split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith("Usage: pipectl " + command)
                .contains("Example")
                .doesNotContain("--log-level", "${");
    }

    static Stream<String> commands() {
        return below(Surroundings.commands())
                .filter(command -> command.getSubcommands().isEmpty())
                .map(command ->
                        command.getCommandSpec().qualifiedName().substring("pipectl ".length()))
                .filter(command -> !command.equals("version"));
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return Stream.concat(
                Stream.of(command),
                command.getSubcommands().values().stream().flatMap(HelpTest::below));
    }

    /// What scripts for the public command line use must be there, as needed (`!`) and with the
    /// default (`=`) it has there. `event register --data` is needed too, but checked elsewhere,
    /// since `deliver` has it as well.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application add|--app-name! --app-kind! --piped-id! --platform-provider! --repo-id! --app-dir! --config-file-name=app.pipecd.yaml --labels --description",
                "application sync|--app-id! --wait-status --check-interval=15s --timeout=5m",
                "application get|--app-id!",
                "application delete|--app-id!",
                "application disable|--app-id!",
                "application list|--app-name --app-kind --piped-id --disabled=false --cursor --limit=10 --label",
                "deployment wait-status|--deployment-id! --status! --check-interval=15s --timeout=15m",
                "deployment logs|--deployment-id!",
                "deployment list|--status --app-id --app-kind --app-name --cursor --limit=30 --label",
                "event register|--name! --data --labels --contexts --commit-hash --commit-title --commit-message --commit-url --commit-author --commit-timestamp=0",
                "plan-preview|--repo-remote-url! --head-branch! --head-commit! --base-branch! --out --timeout=10m --piped-handle-timeout=5m --sort-label-keys",
                "piped enable|--piped-id!",
                "piped disable|--piped-id!",
                "encrypt|--piped-id! --input-file --use-base64-encoding=false",
                "migrate application-config|--config-files --dirs",
                "migrate database|--applications!",
                "transfer backup|--output-file! --labels",
                "transfer restore piped|--input-file! --output-file",
                "transfer restore application|--input-file! --piped-id-mapping-file! --labels"
            })
    void everyPublicFlagIsOfferedAsItIsThere(String command, String flags) {
        var shared =
                "--address --api-key --api-key-file --insecure=false --cert-file --log-level --log-encoding --metrics --profile --profile-debug-logging --profiler-credentials-file";

        assertOffered(command, flags + " " + shared);
    }

    @Test
    void everyPublicFlagOfPluginPushIsOfferedAsItIsThere() {
        assertOffered("plugin push", "--files! --tag! --registry! --repository! --insecure=false");
    }

    private static void assertOffered(String command, String flags) {
        var offered = optionsOf(command);
        for (var flag : flags.split(" ")) {
            var name = flag.replaceFirst("[!=].*", "");
            assertThat(offered).as(command).containsKey(name);
            var option = Objects.requireNonNull(offered.get(name));
            assertThat(option.required()).as(command + " " + name).isEqualTo(flag.endsWith("!"));
            if (flag.contains("="))
                assertThat(told(option.getValue()))
                        .as(command + " " + name)
                        .isEqualTo(flag.replaceFirst(".*=", ""));
        }
    }

    private static String told(Object value) {
        return value instanceof Duration length ? Look.told(length) : value.toString();
    }

    private static Map<String, CommandLine.Model.OptionSpec> optionsOf(String command) {
        return specOf(command).optionsMap();
    }

    private static CommandLine.Model.CommandSpec specOf(String command) {
        var found = Surroundings.commands();
        for (var word : command.split(" "))
            found = Objects.requireNonNull(found.getSubcommands().get(word), word);
        return found.getCommandSpec();
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

    /// `-Dpages.write=true` writes the pages anew after a change of the commands.
    @Test
    void thePagesAreThoseOfTheCommands() throws IOException {
        var wanted = pages(Surroundings.commands());
        var file = Path.of("src/main/resources/dev/pipecd/cli", HelpPages.FILE);
        if (Boolean.getBoolean("pages.write")) Files.writeString(file, wanted);

        assertThat(Files.readString(file))
                .as(
                        "%s; `mvn -pl cli test -Dtest=HelpTest -Dpages.write=true` writes it anew",
                        file)
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
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "event register --data -h -h",
                "event register --data=-h -h",
                "event register --name=image --help",
                "event --insecure register -h",
                "event register -h --name=image"
            })
    void helpIsThereAlsoAmongOtherFlags(String call) {
        var run = pipectl(call.split(" "));

        assertThat(run).isEqualTo(pipectl("event", "register", "--help"));
        assertThat(run.out()).startsWith("Usage: pipectl event register ");
    }

    @Test
    void helpIsACommandTooAsInPublic() {
        assertThat(pipectl("help")).isEqualTo(pipectl("--help"));
        assertThat(pipectl("help", "application", "delete"))
                .isEqualTo(pipectl("application", "delete", "--help"));
    }

    /// A line that is wrapped cannot be pasted.
    @ParameterizedTest
    @MethodSource("commands")
    void noExampleIsWrapped(String command) {
        var examples =
                Stream.of(specOf(command).usageMessage().footer()).map(String::formatted).toList();

        assertThat(pipectl((command + " --help").split(" ")).out().lines()).containsAll(examples);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "../version"})
    void thereIsNoHelpForACommandThatIsNotThere(String command) {
        var run = pipectl(command, "--help");

        assertThat(pipectl("help", command)).isEqualTo(run);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("Error: Unknown command: '" + command + "'")
                .contains("\nUsage: pipectl COMMAND [FLAGS]\n");
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
