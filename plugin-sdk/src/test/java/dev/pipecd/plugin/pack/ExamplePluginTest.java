// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.plugin.conformance.CheckPlugin;
import dev.pipecd.plugin.conformance.Rule;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import picocli.CommandLine;

/// The plugin that the guide shows: compiled as it stands there, packed, started as a process by
/// the public contract. Real processes take their time; nothing else shows that one file is enough.
@Order(1) // it takes longest
class ExamplePluginTest {
    private static final Path GUIDE = Path.of("..", "docs", "guides", "write-a-plugin.md");

    @TempDir static Path folder;

    private static Path packed;

    @BeforeAll
    static void pack() throws Exception {
        var classes = folder.resolve("classes");
        compile(classes);
        packed = folder.resolve("pages");
        Pack.write(Stream.concat(Stream.of(classes), runtime()).toList(), "example.Pages", packed);
    }

    private static void compile(Path classes) throws Exception {
        var source = folder.resolve("example/Pages.java");
        Files.createDirectories(folder.resolve("example"));
        Files.writeString(source, String.join("\n", code()));
        var told = new java.io.ByteArrayOutputStream();
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

    /// As they stand there, by a shell. Maven alone is not asked: it would need the network, and
    /// has compiled this module's classes already.
    @Test
    void itsLinesPackOneFileThatKeepsEveryRule() throws Exception {
        var project = Files.createDirectories(folder.resolve("project"));
        compile(Files.createDirectories(project.resolve("target/classes")));
        Files.writeString(
                project.resolve("target/class-path"),
                runtime().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        var site = Files.createDirectories(project.resolve("my/site"));
        Files.writeString(site.resolve("index.html"), "hello");

        var told = shell(project, sample("sh", 0));

        assertThat(told)
                .contains("Packed target/pages")
                .contains("\"roles\" : [ \"deployment\", \"live-state\", \"drift\" ]")
                .contains("pages: %d kept, 0 broken, 0 not checked".formatted(Rule.values().length))
                .endsWith("exit code 0\n");
        assertThat(project.resolve("target/www/index.html")).hasContent("hello");
    }

    /// With `piped` and `mvn` as far as they are there.
    private static String shell(Path project, String lines) throws Exception {
        var script =
                """
                set -e
                mvn() { :; }
                java() { "$JAVA_HOME/bin/java" "$@"; }
                piped() { test "$1" = check-plugin; shift; java -cp "$TEST_CLASS_PATH" '%s' "$@"; }
                %s
                echo exit code $?
                """
                        .formatted(Checking.class.getName(), lines);
        var shell = new ProcessBuilder("sh", "-c", script).redirectErrorStream(true);
        shell.directory(project.toFile());
        shell.environment().put("HOME", project.toString());
        shell.environment().put("JAVA_HOME", System.getProperty("java.home"));
        shell.environment().put("TEST_CLASS_PATH", System.getProperty("java.class.path"));
        var process = shell.start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /// `piped check-plugin`, without the rest of `piped`.
    public static final class Checking {
        private Checking() {}

        public static void main(String[] args) {
            System.exit(new CommandLine(new CheckPlugin()).execute(args));
        }
    }

    @Test
    void theProjectFileNamesThisSdkAndThisJava() throws Exception {
        var shown = xml(sample("xml", 0));
        var ours = xml(Files.readString(Path.of("..", "pom.xml")));
        var sdk = xml(Files.readString(Path.of("pom.xml")));

        assertThat(text(shown, "/project/modelVersion")).isEqualTo("4.0.0");
        assertThat(text(shown, "count(//dependency)")).isEqualTo("1");
        assertThat(text(shown, "//dependency/groupId")).isEqualTo(text(ours, "/project/groupId"));
        assertThat(text(shown, "//dependency/artifactId"))
                .isEqualTo(text(sdk, "/project/artifactId"));
        assertThat(text(shown, "//dependency/version")).isEqualTo(text(ours, "/project/version"));
        assertThat(text(shown, "//maven.compiler.release"))
                .isEqualTo(text(ours, "//maven.compiler.release"));
    }

    private static Document xml(String text) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(Document document, String path) throws Exception {
        return XPathFactory.newInstance().newXPath().evaluate(path, document);
    }

    /// As they stand there: the application's file, and the part of the agent's file that goes with
    /// it.
    @Test
    void theFilesBesideItAreReadAndGoTogether() throws Exception {
        var agent =
                Documents.piped(
                        "piped.yaml",
                        ("apiVersion: pipecd.dev/v1beta1\nkind: Piped\n"
                                        + sample("yaml", 0)
                                        + "  projectID: p\n  pipedID: i\n  pipedKeyData: a2V5\n  apiAddress: 'a:1'\n")
                                .getBytes(StandardCharsets.UTF_8));
        var application =
                Documents.application(
                        "app.pipecd.yaml", sample("yaml", 1).getBytes(StandardCharsets.UTF_8));

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

    private static String sample(String language, int number) throws Exception {
        var blocks = Files.readString(GUIDE).split("```" + language + "\n", -1);
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
