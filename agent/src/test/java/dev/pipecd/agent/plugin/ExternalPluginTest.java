// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.awaitGone;
import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.plugin.supervise.ProcessFiles;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.PipelineStage;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Plugins of somebody else, started by the public contract as real processes.
@Order(1) // it takes long
class ExternalPluginTest {
    private static final PipelineStage SCRIPT =
            PipelineStage.newBuilder().setId("s2").setName("SCRIPT_RUN").build();

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
    void itIsStartedAsTheContractSaysRunsAStageAndCallsBack() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "good"))) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);
            host.finish("STAGE_SUCCESS");

            assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
            assertThat(host.callbacks().lines).containsExactly("done", "(completed)");
            assertThat(host.health().detail())
                    .matches("ready, version sha256:[0-9a-f]{12}, stages \\[FAKE, FAKE_ROLLBACK]");
            var arguments = host.lines("arguments");
            assertThat(arguments.subList(0, 4))
                    .containsExactly(
                            "start",
                            "--piped-plugin-service",
                            host.plugins().serviceAddress().replace("127.0.0.1", "localhost"),
                            "--config");
            var told = new ObjectMapper().readTree(arguments.get(4));
            assertThat(told.fieldNames())
                    .toIterable()
                    .containsExactly("name", "url", "port", "config");
            assertThat(told.get("url").asText()).startsWith("file:///").endsWith("/fake");
            assertThat(told.get("port").asInt()).isPositive();
            assertThat(host.lines("state-directory"))
                    .containsExactly(data.resolve("plugin-state").toString());
        }
    }

    @Test
    void killedInMidStageItIsStartedAgainAndAskedTheSame() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "good"))) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);

            signal("KILL", host.pid());

            patiently().until(() -> host.lines("executed").size() == 2);
            assertThat(host.lines("executed").get(1)).isEqualTo(host.lines("executed").get(0));
            assertThat(host.plugins().figures("fake").ends()).isEqualTo(1);
            host.finish("STAGE_SUCCESS");
            assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
        }
    }

    @Test
    void killedItComesBackAsTheProgramItWasWhateverItsFileIsByNow() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "good"))) {
            patiently().until(() -> host.health().ok());
            var before = host.health().detail();
            Files.writeString(data.resolve("other-plugin"), "#!/bin/sh\nexit 1\n");

            signal("KILL", host.pid());

            patiently().until(() -> host.lines("starts").size() == 2 && host.health().ok());
            assertThat(host.health().detail()).isEqualTo(before);
        }
    }

    @Test
    void aConfigurationTooLongForAnArgumentIsTold() throws Exception {
        var plugin = HostInTest.other(data, "fake", "x".repeat(131_072));
        try (var host = start(plugin)) {
            patiently().until(() -> host.health().detail().contains("as JSON"));

            assertThat(host.health().detail())
                    .containsPattern(
                            "plugins: config and deployTargets of fake: 131\\d{3} bytes as JSON \\(expected: at most 131071, which the public contract passes in one argument\\)");
            assertThat(host.health().advice())
                    .startsWith("Give the plugin two entries with some of its deploy targets each");
        }
    }

    /// The public script plugin would run the script once more.
    @Test
    void aScriptOfAPluginThatDiesIsNotBegunTwice() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "good"))) {
            var answer = threads.submit(() -> host.run(SCRIPT));
            patiently().until(() -> host.lines("executed").size() == 1);

            signal("KILL", host.pid());

            assertThatThrownBy(answer::get)
                    .hasCauseInstanceOf(Problem.class)
                    .hasMessageContaining(
                            "outcome: not known, because the agent or its plugin ended while it ran");
            assertThat(host.lines("starts")).hasSize(2);
            assertThat(host.lines("executed")).hasSize(1);
        }
    }

    @Test
    void oneThatHangsIsKilledAndStartedAgain() throws Exception {
        // Those of others get three times as long.
        var timing = HostInTest.quick(Duration.ofSeconds(2));
        var plugin = HostInTest.other(data, "fake", "good");
        try (var host = HostInTest.start(data, List.of(plugin), List.of("false"), timing)) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
            var first = host.pid();

            signal("STOP", first);

            awaitGone(first);
            patiently().until(() -> host.lines("starts").size() >= 2);
        }
    }

    @Test
    void aStageItFailsOnItsWayOutGoesOnInTheNextOne() throws Exception {
        try (var host = start(HostInTest.other(data, "fake", "fails-on-term"))) {
            var answer = threads.submit(host::execute);
            patiently().until(() -> host.lines("executed").size() == 1);

            signal("TERM", host.pid());

            patiently().until(() -> host.lines("executed").size() == 2);
            host.finish("STAGE_SUCCESS");
            assertThat(answer.get()).isEqualTo(new StageAnswer.Succeeded());
        }
    }

    @Test
    void itsLastWordsAreHeardWhenTheAgentStops() throws Exception {
        var host = start(HostInTest.other(data, "fake", "last-words"));
        try (host) {
            assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
        }

        assertThat(host.callbacks().lines).containsExactly("last words");
    }

    @Test
    void aBadOneDoesNotTouchTheOthers() throws Exception {
        var missing = HostInTest.plugin("missing", "/does/not/exist", "good");
        try (var host = start(missing, HostInTest.other(data, "fake", "good"))) {
            patiently().until(() -> host.health().detail().contains("again and again"));
            patiently().until(() -> host.plugins().isKnown("fake"));

            host.finish("STAGE_SUCCESS");

            assertThat(host.execute()).isEqualTo(new StageAnswer.Succeeded());
            assertThat(host.health().detail())
                    .isEqualTo(
                            "the plugin ends again and again; last: cannot be started: url: /does/not/exist of plugin"
                                    + " missing (expected: a file the agent can read)");
            assertThat(host.health().advice())
                    .isEqualTo(
                            "Correct the path or the file's permissions; it is tried again every 30 s.");
        }
    }

    @Test
    void whoKnowsTheAnswerDoesNotWaitForOneThatHangs() throws Exception {
        var hangs = Files.writeString(data.resolve("hangs"), "#!/bin/sh\nexec sleep 600\n");
        try (var host =
                start(
                        HostInTest.plugin("hangs", hangs.toString(), "good"),
                        HostInTest.other(data, "fake", "good"))) {
            var owner =
                    threads.submit(() ->
                            host.plugins()
                                    .whenKnown(Duration.ofHours(1), () -> onlyOwner(host, "FAKE")));

            assertThat(owner).succeedsWithin(Duration.ofMinutes(5)).isEqualTo("fake");
            assertThat(host.health().detail()).isEqualTo("starting");
        }
    }

    @Test
    void whatNobodyKnowsIsToldWhenNoneIsLeftToWaitFor() throws Exception {
        var missing = HostInTest.plugin("missing", "/does/not/exist", "good");
        try (var host = start(missing)) {
            var owner =
                    threads.submit(() ->
                            host.plugins()
                                    .whenKnown(Duration.ofHours(1), () -> onlyOwner(host, "FAKE")));

            assertThat(owner)
                    .failsWithin(Duration.ofMinutes(5))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(Problem.class);
            assertThat(host.health().detail()).contains("again and again");
        }
    }

    private static String onlyOwner(HostInTest host, String stage) {
        var owners = host.plugins().ownersOf(stage);
        if (owners.size() == 1) return owners.getFirst();
        throw new Problem(Problem.Code.STAGE_UNKNOWN, stage, "");
    }

    @Test
    void aPortThatIsTakenIsToldAndWhoListensThereIsNotTalkedTo() throws Exception {
        try (var taken = new ServerSocket(0);
                var host = start(HostInTest.other(data, "fake", "good", taken.getLocalPort()))) {
            patiently().until(() -> host.health().detail().contains("cannot be started"));

            assertThat(host.health().detail())
                    .contains(
                            "port: %d of plugin fake is in use by another process (expected: a free port)"
                                    .formatted(taken.getLocalPort()));
            assertThat(host.lines("starts")).isEmpty();
        }
    }

    @Test
    void itsProcessIsRecordedBeforeItBecomesThePluginAndEndedByTheNextAgent() throws Exception {
        var host = start(HostInTest.other(data, "fake", "good"));
        assertThat(host.plugins().awaitReady(Duration.ofMinutes(5))).isTrue();
        var record = data.resolve("process-fake.pid");
        var pid = host.pid();
        assertThat(record).hasContent(pid + "\n" + ProcessGroup.startOf(pid).orElseThrow() + "\n");

        // As the next agent finds it: the record is there, the process too.
        Files.copy(record, data.resolve("process-gone-from-config.pid"));
        try (var next = start(HostInTest.other(data, "fake", "good"))) {
            awaitGone(pid);
            patiently().until(() -> next.lines("starts").size() > 1);
            assertThat(data.resolve("process-gone-from-config.pid")).doesNotExist();
        } finally {
            host.close();
        }
    }

    @Test
    void whatAPluginThatDiedWithItsAgentLeftIsEnded() throws Exception {
        var group =
                ProcessGroup.start(
                        List.of("sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"),
                        Map.of(),
                        Set.of());
        var script = Long.parseLong(group.process().inputReader().readLine());
        group.process().waitFor();
        var boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        Files.writeString(data.resolve("process-scriptrun.pid"), group.id() + "\n" + boot + " 1\n");

        ProcessFiles.endLeftBehind(data);

        awaitGone(script);
        assertThat(data.resolve("process-scriptrun.pid")).doesNotExist();
    }

    private HostInTest start(dev.pipecd.config.PipedConfig.Plugin... plugins) {
        return HostInTest.start(data, List.of(plugins), List.of("false"), HostInTest.QUICK);
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).start().waitFor();
    }
}
