// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolsTest {
    /// The SHA-256 of "hi\n".
    private static final String HI =
            "sha256:98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4";

    @TempDir Path home;

    @Test
    void aToolIsInstalledByThePluginsScript() {
        var path =
                tools().install(
                                "helm",
                                "3.8.2",
                                "cd {{ .TmpDir }} && echo {{.Name}} {{ .Version }} {{ .Os }} > x\nmv x {{ .OutPath }}");

        assertThat(path).isEqualTo(home.resolve("a folder/helm-3.8.2")).isExecutable();
        assertThat(path).hasContent("helm 3.8.2 linux");
        assertThat(home.resolve("a folder").toFile().list()).containsExactly("helm-3.8.2");
    }

    @Test
    void manyWhoAskAtOnceGetItInstalledOnce() throws Exception {
        var script = "echo x >> '%s/runs'; echo hi > {{ .OutPath }}".formatted(home);
        var tools = tools();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers =
                    IntStream.range(0, 10)
                            .mapToObj(_ -> threads.submit(() -> tools.install("jq", "1", script)))
                            .toList();
            for (var answer : answers) assertThat(answer.get()).hasContent("hi");
        }

        assertThat(home.resolve("runs")).hasContent("x");
        assertThat(tools().install("jq", "1", "exit 1")).hasContent("hi");
    }

    @Test
    void aScriptThatFailsIsToldWithWhatItSaid() {
        assertTold(
                () -> tools().install("helm", "1", "echo no route to host >&2; exit 7"),
                "tool: helm-1 cannot be installed: its script ended with exit code 7 and said: \"no route to host\"."
                        + " Check the network and the proxy; or put it into `tools.directory`.");
        assertTold(
                () -> tools().install("helm", "1", "true"),
                "tool: helm-1 cannot be installed: its script ended with exit code 0 and said: \"\"."
                        + " Check the network and the proxy; or put it into `tools.directory`.");
        assertThat(home.resolve("a folder").toFile().list()).isEmpty();
    }

    @Test
    void aScriptThatTakesTooLongIsEnded() {
        var tools =
                new Tools(
                        home.resolve("a folder"),
                        new PipedConfig.Tools("", false, Map.of()),
                        Duration.ofMillis(300));

        assertThatThrownBy(() -> tools.install("helm", "1", "sleep 600"))
                .hasMessageContaining("its script took longer than 0 s");
    }

    @Test
    void whenTheAgentStopsWhatIsUnderWayIsEndedAndNothingIsBegun() throws Exception {
        var tools = tools();
        var pid = home.resolve("pid");
        var script = "echo $$ > '%s'; sleep 600".formatted(pid);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var installs =
                    IntStream.range(0, 2)
                            .mapToObj(_ -> threads.submit(() -> tools.install("helm", "1", script)))
                            .toList();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> Files.exists(pid) && Files.size(pid) > 0);

            tools.close();

            for (var install : installs)
                assertThatThrownBy(install::get)
                        .hasRootCauseMessage("tool: helm-1 cannot be installed: the agent stops");
        }
        assertThat(ProcessGroup.startOf(Long.parseLong(Files.readString(pid).strip()))).isEmpty();
        assertThat(home.resolve("a folder")).isEmptyDirectory();
    }

    @Test
    void aChecksumThatIsPinnedHolds() throws IOException {
        var pinned = tools(new PipedConfig.Tools("", false, Map.of("jq-1", HI)));

        assertTold(
                () -> pinned.install("jq", "1", "echo other > {{ .OutPath }}"),
                "tool: jq-1 cannot be installed: checksum:"
                        + " sha256:7e4fa2eb8c7ac089739d5defc4489fad68a100d92082ca35c6b40a4524821f87 (expected: "
                        + HI
                        + "). Do not use it before you know why it changed; if it may, correct `tools.checksums`.");
        var path = pinned.install("jq", "1", "echo hi > {{ .OutPath }}");
        Files.writeString(path, "changed afterwards");
        assertThat(pinned.install("jq", "1", "echo hi > {{ .OutPath }}")).hasContent("hi");
    }

    @Test
    void theOfflineFolderIsLookedIntoFirstAndNothingElseWhenOffline() throws IOException {
        var folder = Files.createDirectory(home.resolve("offline"));
        Files.writeString(folder.resolve("jq-1"), "from the folder");
        var offline = tools(new PipedConfig.Tools(folder.toString(), true, Map.of()));

        assertThat(offline.install("jq", "1", "exit 1"))
                .hasContent("from the folder")
                .isExecutable();
        assertTold(
                () -> offline.install("helm", "2", "echo hi > {{ .OutPath }}"),
                "tool: helm-2 cannot be installed: it is not in %s, and `tools.offline` is set."
                                .formatted(folder)
                        + " Put the program there as helm-2.");
    }

    @Test
    void whatIsInTheFolderTakesThePlaceOfWhatWasInstalledBefore() throws IOException {
        var folder = Files.createDirectory(home.resolve("offline"));
        tools().install("jq", "1", "echo hi > {{ .OutPath }}");
        Files.writeString(folder.resolve("jq-1"), "mended");
        var settings = new PipedConfig.Tools(folder.toString(), false, Map.of());

        assertThat(tools(settings).install("jq", "1", "exit 1"))
                .isEqualTo(home.resolve("a folder/jq-1"))
                .hasContent("mended")
                .isExecutable();
        Files.delete(folder.resolve("jq-1"));
        assertThat(tools(settings).install("jq", "1", "exit 1")).hasContent("mended");
    }

    @Test
    void whatIsPinnedCountsMoreThanTheFolder() throws IOException {
        var folder = Files.createDirectory(home.resolve("offline"));
        tools().install("jq", "1", "echo hi > {{ .OutPath }}");
        Files.writeString(folder.resolve("jq-1"), "another");
        var settings = new PipedConfig.Tools(folder.toString(), true, Map.of("jq-1", HI));

        assertThat(tools(settings).install("jq", "1", "exit 1")).hasContent("hi");
    }

    @Test
    void whatKilledAgentsLeftHalfInstalledIsTakenAwayWhenNobodyCanBeAtItAnyMore()
            throws IOException {
        tools().install("jq", "1", "echo hi > {{ .OutPath }}");
        var left = Files.createDirectories(home.resolve("a folder/half-1/room"));
        Files.writeString(left.resolve("archive"), "x");
        Files.setLastModifiedTime(left.getParent(), FileTime.from(Instant.EPOCH));
        Files.createDirectory(home.resolve("a folder/half-2"));

        tools().sweep();

        assertThat(home.resolve("a folder").toFile().list())
                .containsExactlyInAnyOrder("jq-1", "half-2");
    }

    @Test
    void namesThatCouldLeaveTheFolderOrTheScriptAreRefused() {
        for (var name : List.of("../x", "a b", "$(id)", "", ".hidden"))
            assertThatThrownBy(() -> tools().install(name, "1", "true"))
                    .hasMessage(
                            "name: \"%s\" (expected: letters, digits, dots, dashes)"
                                    .formatted(name));
        assertThatThrownBy(() -> tools().install("jq", "1", "{{ range .X }}"))
                .hasMessage(
                        "install_script: {{ range .X }} (expected: one of [.Arch, .Name, .Os, .OutPath, .TmpDir,"
                                + " .Version])");
    }

    private Tools tools() {
        return tools(new PipedConfig.Tools("", false, Map.of()));
    }

    private Tools tools(PipedConfig.Tools settings) {
        return new Tools(home.resolve("a folder"), settings, Duration.ofMinutes(1));
    }

    private static void assertTold(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String told) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.told()).isEqualTo(told));
    }
}
