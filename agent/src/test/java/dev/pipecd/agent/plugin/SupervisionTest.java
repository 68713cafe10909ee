// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.awaitGone;
import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.plugin.supervise.ProcessFiles;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Order(1) // it takes long
class SupervisionTest {
    private static final String HOPELESS =
            "the plugin host ends again and again; last: ended with exit code 3: \"fatal: no luck"
                    + " today\"";
    private static final String MEND =
            "Read the `plugin-host` lines of the agent's log and mend the cause; it is tried again"
                    + " every 30 s.";

    @TempDir Path data;
    ExecutorService threads;

    @BeforeEach
    void setUp() {
        threads = Executors.newVirtualThreadPerTaskExecutor();
    }

    @AfterEach
    void tearDown() {
        threads.shutdownNow();
    }

    @Test
    void aHostKilledInMidStageIsStartedAgainAndAskedTheSame() throws Exception {
        try (var host = HostInTest.start(data, "good")) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);
            var first = host.pid();

            signal("KILL", first);

            patiently().until(() -> host.lines("executed").size() == 2);
            assertThat(host.pid()).isNotEqualTo(first);
            assertThat(host.lines("executed").get(1)).isEqualTo(host.lines("executed").get(0));
            host.finish("STAGE_SUCCESS");
            assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
        }
    }

    @Test
    void aHostThatHangsIsKilledAndStartedAgain() throws Exception {
        try (var host = HostInTest.start(data, "good", HostInTest.quick(Duration.ofSeconds(5)))) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> !host.lines("executed").isEmpty());
            var first = host.pid();

            signal("STOP", first);

            awaitGone(first);
            patiently().until(() -> host.lines("executed").size() >= 2);
            assertThat(host.lines("executed")).containsOnly(host.lines("executed").getFirst());
            host.finish("STAGE_SUCCESS");
            assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
        }
    }

    @Test
    void aHostThatIsNeverReadyIsToldAndTriedAgain() throws Exception {
        var timing =
                new Timing(
                        Duration.ofSeconds(5),
                        HostInTest.QUICK.silence(),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(30),
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(5));
        try (var host = HostInTest.startScript(data, "exec sleep 600", timing)) {
            assertThat(host.plugins().awaitReady(Duration.ofMillis(100))).isFalse();
            assertThat(host.health()).isEqualTo(new PluginHealth("fake", false, "starting", ""));
            patiently().until(() -> host.lines("starts").size() >= 2);
            assertThat(host.health().detail())
                    .isEqualTo("the plugin host was not ready within 5 s and is started again");
        }
    }

    @Test
    void aHostThatIsNeverReadyAgainAndAgainIsCalledHopeless() throws Exception {
        var impatient =
                new Timing(
                        Duration.ofSeconds(1),
                        HostInTest.QUICK.silence(),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(30),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5));
        try (var host = HostInTest.startScript(data, "exec sleep 600", impatient)) {
            assertThatThrownBy(host::execute)
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "plugin fake: the plugin host ends again and again; last: was not ready within 1 s"
                                    + " (expected: a plugin that answers)");
            assertThat(host.plugins().figures("fake").ends()).isEqualTo(3);
        }
    }

    @Test
    void aBuiltInWhoseConfigurationDoesNotFitIsShownSoAndItsStagesAreKnown() throws Exception {
        var entries =
                List.of(
                        HostInTest.plugin("fake", "builtin:crooked", "good"),
                        HostInTest.plugin("straight", "builtin:fake", "good"));
        try (var host = HostInTest.start(data, entries, FakeHostCommand.get(), HostInTest.QUICK)) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isFalse();

            assertThat(host.health())
                    .isEqualTo(
                            new PluginHealth(
                                    "fake",
                                    false,
                                    "config: region: 5 (expected: text)",
                                    "Correct it in the agent's `plugins:` and restart the agent. The other plugins run."));
            assertThat(host.plugins().figures("fake").ready()).isFalse();
            assertThat(host.plugins().figures("straight").ready()).isTrue();
            assertThat(host.plugins().ownersOf("FAKE")).containsExactly("fake", "straight");
            assertThatThrownBy(host::execute)
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            "plugin fake: config: region: 5 (expected: text) (expected: a plugin that answers)");
            assertThat(host.lines("starts")).hasSize(1);
        }
    }

    /// All of them share a process, which would end.
    @Test
    void aBuiltInWhosePortIsTakenListensElsewhere() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var host =
                        HostInTest.start(
                                data,
                                List.of(
                                        HostInTest.plugin(
                                                "fake",
                                                "builtin:fake",
                                                taken.getLocalPort(),
                                                JsonNodeFactory.instance.objectNode())),
                                FakeHostCommand.get(),
                                HostInTest.QUICK)) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
            assertThat(host.lines("starts")).hasSize(1);
        }
    }

    @Test
    void aHostThatKeepsDyingIsCalledHopelessAndNobodyWaitsForIt() throws Exception {
        var dies = "echo 'fatal: no luck today' >&2; exit 3";
        try (var host = HostInTest.startScript(data, dies, HostInTest.QUICK)) {
            var answer = threads.submit(host::execute);

            assertThatThrownBy(answer::get)
                    .cause()
                    .isInstanceOfSatisfying(
                            Problem.class,
                            problem ->
                                    assertThat(problem.told())
                                            .isEqualTo(
                                                    "plugin fake: "
                                                            + HOPELESS
                                                            + " (expected: a plugin that answers). "
                                                            + MEND));
            assertThat(host.lines("starts")).hasSize(5);
            assertThat(host.health()).isEqualTo(new PluginHealth("fake", false, HOPELESS, MEND));
        }
    }

    @Test
    void aStageThatKillsItsHostEveryTimeFailsInTheEnd() throws Exception {
        try (var host = HostInTest.start(data, "dies-in-stage")) {
            assertThatThrownBy(host::execute)
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("ends again and again");
            assertThat(host.lines("executed")).hasSize(5);
        }
    }

    @Test
    void aProgramThatCannotBeRunIsDescribed() throws IOException {
        var program = Files.writeString(data.resolve("no-program"), "#!/does/not/exist\n");
        var entries = List.of(HostInTest.plugin("fake", "builtin:fake", "good"));
        try (var host =
                HostInTest.start(data, entries, List.of(program.toString()), HostInTest.QUICK)) {
            patiently().until(() -> host.health().detail().contains("exit code"));
            assertThat(host.health().detail())
                    .contains("ended with exit code 126")
                    .contains("program=" + program)
                    .contains("mode=rw-r--r--")
                    .contains("kind=\"script #!/does/not/exist\"")
                    .contains("machine=" + System.getProperty("os.arch"));
        }
    }

    @Test
    void aHostLeftByAKilledAgentIsEndedAndNeverTalkedTo() throws Exception {
        // Stands for the host of an agent killed with -9: recorded, alive, and in its own group.
        var left = ProcessGroup.start(List.of("sh", "-c", "sleep 600 & wait"), Map.of(), Set.of());
        Files.writeString(
                data.resolve("plugin-host.pid"),
                left.id() + "\n" + ProcessGroup.startOf(left.id()).orElseThrow() + "\n");

        try (var host = HostInTest.start(data, "good")) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
            awaitGone(left.id());
            assertThat(host.lines("starts")).hasSize(1);
        } finally {
            left.kill();
        }
    }

    @Test
    void aProcessThatOnlyGotTheSameIdIsLeftAlone() throws Exception {
        var other = ProcessGroup.start(List.of("sleep", "600"), Map.of(), Set.of());
        try {
            Files.writeString(
                    data.resolve("plugin-host.pid"), other.id() + "\nanother-boot 12345\n");

            ProcessFiles.endLeftBehind(data);

            assertThat(other.process().isAlive()).isTrue();
            assertThat(data.resolve("plugin-host.pid")).doesNotExist();
        } finally {
            other.kill();
        }
    }

    @Test
    void aTornRecordOfTheHostIsSurvived() throws Exception {
        Files.writeString(data.resolve("plugin-host.pid"), "12");
        ProcessFiles.endLeftBehind(data);
        Files.writeString(data.resolve("plugin-host.pid"), "x\ny\n");
        ProcessFiles.endLeftBehind(data);

        assertThat(data.resolve("plugin-host.pid")).doesNotExist();
    }

    @Test
    void closingEndsTheHostWithAllItsChildrenAndLeavesNoSecret() throws Exception {
        var host = HostInTest.start(data, "good");
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
        patiently().until(() -> host.lines("children").size() == 1);
        var child = Long.parseLong(host.lines("children").getFirst());

        host.close();

        awaitGone(host.pid());
        awaitGone(child);
        assertThat(data.resolve("plugin-host.json")).doesNotExist();
        assertThat(data.resolve("plugin-host.pid")).doesNotExist();
    }

    @Test
    void closingDetachesRunningStagesInsteadOfFailingThem() throws Exception {
        var host = HostInTest.start(data, "good");
        var answer = threads.submit(host::execute);
        patiently().until(() -> host.lines("executed").size() == 1);

        host.close();

        assertThat(answer)
                .failsWithin(Duration.ofMinutes(5))
                .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                .withCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void aPluginWithoutAStopButtonIsCalledOff() throws Exception {
        try (var host = HostInTest.start(data, "without-stop")) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);

            host.plugins()
                    .stop("fake", new DeploymentId("d1"), new StageId("s1"), "cancelled by ann");

            assertThat(answer.get()).isEqualTo(new StageAnswer.Stopped("cancelled by ann"));
            assertThat(host.lines("broken-off")).hasSize(1);
        }
    }

    /// What is left of it must not meet the rollback.
    @Test
    void whatWasCalledOffCountsAsStoppedWhenItHasEndedInItsPlugin() throws Exception {
        try (var host = HostInTest.start(data, "without-stop-slowly")) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);

            var stopped =
                    threads.submit(() -> {
                        host.plugins()
                                .stop("fake", new DeploymentId("d1"), new StageId("s1"), "enough");
                        return host.lines("broken-off");
                    });
            patiently().until(() -> host.lines("called-off").size() == 1);
            assertThat(answer.get()).isEqualTo(new StageAnswer.Stopped("enough"));
            assertThat(stopped.isDone()).isFalse();
            Files.createFile(data.resolve("plugin-state/let-go"));

            assertThat(stopped.get()).hasSize(1);
        }
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start().waitFor();
    }
}
