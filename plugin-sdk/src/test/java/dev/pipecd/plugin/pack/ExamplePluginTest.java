// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.plugin.conformance.Conformance;
import dev.pipecd.plugin.conformance.Limits;
import dev.pipecd.plugin.conformance.ProcessLauncher;
import dev.pipecd.plugin.conformance.Trial;
import dev.pipecd.plugin.conformance.Verdict;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The plugin that the guide shows: compiled as it stands there, packed, started as a process by
/// the public contract. Real processes take their time; nothing else shows that one file is enough.
@Order(1) // it takes longest
class ExamplePluginTest {
    private static final Path GUIDE = Path.of("..", "docs", "guides", "write-a-plugin.md");

    @TempDir static Path folder;

    private static Path packed;

    @BeforeAll
    static void pack() throws Exception {
        var source = folder.resolve("example/Pages.java");
        Files.createDirectories(folder.resolve("example"));
        Files.writeString(source, String.join("\n", code()));
        var told = new java.io.ByteArrayOutputStream();
        var classes = folder.resolve("classes");
        var result =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                told,
                                told,
                                "-proc:none",
                                "-d",
                                classes.toString(),
                                source.toString());
        assertThat(result).as(told.toString(StandardCharsets.UTF_8)).isZero();
        packed = folder.resolve("pages");
        Pack.write(Stream.concat(Stream.of(classes), runtime()).toList(), "example.Pages", packed);
    }

    private static List<String> code() throws Exception {
        return Files.readAllLines(GUIDE).stream()
                .dropWhile(line -> !line.equals("```java"))
                .skip(1)
                .takeWhile(line -> !line.equals("```"))
                .toList();
    }

    /// What a plugin has of this module's class path.
    private static Stream<Path> runtime() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(part ->
                        !part.matches(".*(test-classes|junit|assertj|awaitility|surefire).*"))
                .map(Path::of);
    }

    @Test
    void theExampleIsShort() throws Exception {
        assertThat(code()).hasSizeBetween(30, 59);
    }

    @Test
    void oneFileStartedByTheContractKeepsEveryRule() throws Exception {
        var site = Files.createDirectories(folder.resolve("site"));
        var published = Files.createDirectories(folder.resolve("published"));
        Files.writeString(site.resolve("index.html"), "hello");
        var target = "{\"directory\": \"" + published + "\"}";

        var report =
                Conformance.of(
                        new ProcessLauncher(packed, folder, Map.of("HOME", folder.toString())),
                        new Trial(
                                "pages",
                                "{}",
                                Map.of("here", target),
                                Map.of(),
                                site,
                                List.of(new Trial.Sample("PAGES_SYNC", "{}")),
                                List.of(new Trial.Sample("PAGES_SYNC", "{\"delay\": \"10m\"}"))),
                        Limits.USUAL);

        assertThat(report.verdicts().values())
                .as(report.text())
                .allMatch(Verdict.Kept.class::isInstance);
        assertThat(published.resolve("index.html")).hasContent("hello");
    }

    /// As they stand there: the application's file, and the part of the agent's file that goes with
    /// it.
    @Test
    void theFilesBesideItAreReadAndGoTogether() throws Exception {
        var agent =
                Documents.piped(
                        "piped.yaml",
                        ("apiVersion: pipecd.dev/v1beta1\nkind: Piped\n"
                                        + sample(0)
                                        + "  projectID: p\n  pipedID: i\n  pipedKeyData: a2V5\n  apiAddress: 'a:1'\n")
                                .getBytes(StandardCharsets.UTF_8));
        var application =
                Documents.application(
                        "app.pipecd.yaml", sample(1).getBytes(StandardCharsets.UTF_8));

        assertThat(agent.warnings()).isEmpty();
        assertThat(application.warnings()).isEmpty();
        assertThat(agent.value().plugins())
                .extracting(PipedConfig.Plugin::name)
                .containsExactly("pages", "waitapproval");
        assertThat(application.value().plugins().keySet()).containsExactly("pages");
        assertThat(application.value().stages())
                .extracting(ApplicationConfig.Stage::name)
                .containsExactly("WAIT_APPROVAL", "PAGES_SYNC");
        // Without them the stage is refused while planning.
        assertThat(application.value().stages().getFirst().with().get("approvers")).hasSize(1);
    }

    private static String sample(int number) throws Exception {
        var blocks = Files.readString(GUIDE).split("```yaml\n", -1);
        return blocks[number + 1].substring(0, blocks[number + 1].indexOf("```"));
    }

    @Test
    void itDescribesItself() throws Exception {
        var process =
                new ProcessBuilder(packed.toString(), "describe")
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();

        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isZero();
        assertThat(told)
                .contains("\"roles\" : [ \"deployment\", \"live-state\", \"drift\" ]")
                .contains("\"PAGES_SYNC\"")
                .contains("\"default\" : \"0s\"");
    }

    @Test
    void aWrongConfigurationIsToldAtStart() throws Exception {
        var process =
                new ProcessBuilder(
                                packed.toString(),
                                "start",
                                "--piped-plugin-service",
                                "localhost:1",
                                "--config",
                                "{\"name\": \"pages\"}")
                        .redirectErrorStream(true)
                        .start();

        var told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(told).contains("port: 0 (expected: a port from 1 to 65535)");
    }
}
