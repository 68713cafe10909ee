// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.host.PluginHost;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import dev.pipecd.plugins.HostProcess;
import dev.pipecd.plugins.approval.ApprovalStage;
import dev.pipecd.plugins.wait.WaitStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Scripts in a real host process that is killed at every step: each runs exactly once and no line
/// is lost. The next host is one inside this process: nobody kills it.
class ScriptAdoptionTest {
    private static final String COUNTED =
            "echo ran >> ran; echo one; echo; echo two; %s echo three";
    private static final List<String> LINES =
            List.of("one", " ", "two", "three", "The script ended with exit code 0");
    private static final Answer SUCCESS = new Answer("STAGE_SUCCESS", "");

    @TempDir Path home;

    private FakeAgent agent;
    private HostProcess host;
    private Optional<PluginHost> next = Optional.empty();
    private Path application;

    @BeforeEach
    void startHost() throws IOException {
        application = Files.createDirectory(home.resolve("application"));
        agent = FakeAgent.open(HostProcess.TOKEN);
        host = HostProcess.start(agent, home);
    }

    @AfterEach
    void endHost() throws InterruptedException {
        host.close();
        next.ifPresent(PluginHost::close);
        agent.close();
    }

    private StageOrder script(String run) {
        return order("SCRIPT_RUN", "stage-1", "{\"run\": \"" + run + "\"}");
    }

    private StageOrder order(String name, String stage, String with) {
        return new StageOrder("scriptrun", stage, name, 0, with, application);
    }

    private Path state(String file) {
        return home.resolve("state/scriptrun/deployment-1+stage-1").resolve(file);
    }

    private Answer answer(Future<Answer> call) throws Exception {
        return call.get(5, TimeUnit.MINUTES);
    }

    private void restartHost() throws Exception {
        host.kill();
        startNext();
    }

    private void startNext() throws Exception {
        agent.heard().forgetPorts();
        var plugins = List.of(WaitStage.plugin(), ApprovalStage.plugin(), ScriptStage.plugin());
        var args = HostProcess.arguments(agent, home);
        next = Optional.of(PluginHost.open(args, plugins, InstantSource.system()));
    }

    private void expectOneRunAndAllLines() throws IOException {
        assertThat(application.resolve("ran")).hasContent("ran");
        assertThat(agent.heard().lines("stage-1")).isEqualTo(LINES);
        assertThat(agent.heard().indexes("stage-1"))
                .isEqualTo(
                        IntStream.range(0, LINES.size())
                                .mapToObj(n -> StageOrder.STARTED_AT.getEpochSecond() + n)
                                .toList());
        assertThat(agent.heard().contradictions()).isEmpty();
        assertThat(agent.heard().complete("stage-1")).isTrue();
    }

    private String untilOpened() {
        return "while [ ! -e open ]; do sleep 0.05; done;";
    }

    private void open() throws IOException {
        Files.createFile(application.resolve("open"));
    }

    @Test
    void aHostKilledBeforeTheScriptBeganRunsItOnce() throws Exception {
        agent.heard().deaf(true);
        var _ = agent.execute(script(COUNTED.formatted("")));
        await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().missed() > 0);

        restartHost();
        agent.heard().deaf(false);

        assertThat(answer(agent.execute(script(COUNTED.formatted(""))))).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aHostKilledAsSoonAsTheScriptIsClaimedAdoptsIt() throws Exception {
        var _ = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(state("process")));

        restartHost();
        var call = agent.execute(script(COUNTED.formatted(untilOpened())));
        open();

        assertThat(answer(call)).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aHostKilledWhileTheScriptRunsAdoptsIt() throws Exception {
        var _ = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("two"));

        restartHost();
        var call = agent.execute(script(COUNTED.formatted(untilOpened())));
        open();

        assertThat(answer(call)).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aScriptThatEndsWhileNoHostLivesIsDone() throws Exception {
        var _ = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("two"));
        host.kill();
        open();
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(state("exit")));

        startNext();

        assertThat(answer(agent.execute(script(COUNTED.formatted(untilOpened())))))
                .isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aHostKilledAfterTheExitBeforeItsAnswerTellsTheEnd() throws Exception {
        var _ = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("two"));
        agent.heard().deaf(true);
        open();
        await().atMost(Duration.ofMinutes(5))
                .until(() -> Files.exists(state("exit")) && agent.heard().missed() > 0);

        restartHost();
        agent.heard().deaf(false);

        assertThat(answer(agent.execute(script(COUNTED.formatted(untilOpened())))))
                .isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aHostThatIsTerminatedLeavesTheScriptToTheNext() throws Exception {
        var left = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("two"));

        host.terminate();
        assertThat(answer(left).status()).isEqualTo("UNAVAILABLE");
        startNext();
        var call = agent.execute(script(COUNTED.formatted(untilOpened())));
        open();

        assertThat(answer(call)).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aScriptThatVanishedWithoutExitCodeIsNotRunAgain() throws Exception {
        var _ = agent.execute(script("echo $$ > pid; echo ran >> ran; " + untilOpened()));
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(application.resolve("ran")));
        var leader = new RunDirectory(state("")).leaders().getFirst();

        host.kill();
        new ProcessBuilder("/bin/sh", "-c", "kill -s KILL -- -" + leader.pid()).start().waitFor();
        startNext();
        var answer = answer(agent.execute(script("echo ran >> ran")));

        assertThat(answer.status()).isEqualTo("STAGE_FAILURE");
        assertThat(answer.message()).startsWith("the outcome of the script cannot be known");
        assertThat(application.resolve("ran")).hasContent("ran");
    }

    @Test
    void aStopReachesAScriptThatAnEarlierHostBegan() throws Exception {
        var _ = agent.execute(script("echo begun; sleep 600"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("begun"));
        var leader = new RunDirectory(state("")).leaders().getFirst();
        restartHost();

        agent.stop("scriptrun", "stage-1", "cancelled by ann");

        assertThat(new ProcessGroup(leader.pid()).members()).isEmpty();
    }

    /// What it started ignores the stop, so that the script's own end is written down long before
    /// the stop is over.
    private static final String STUBBORN =
            "(trap '' TERM; echo stubborn; while :; do sleep 0.2; done); true";

    @Test
    void aStopThatItsHostDiedOverIsBroughtToItsEndByTheNext() throws Exception {
        var _ = agent.execute(script(STUBBORN));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("stubborn"));
        var group = new ProcessGroup(new RunDirectory(state("")).leaders().getFirst().pid());
        var stop = Thread.ofVirtual().start(this::stopInVain);
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(state("exit")));
        restartHost();
        stop.join();
        assertThat(group.members()).isNotEmpty();

        agent.stop("scriptrun", "stage-1", "cancelled by ann");

        assertThat(group.members()).isEmpty();
    }

    private void stopInVain() {
        try {
            agent.stop("scriptrun", "stage-1", "cancelled by ann");
        } catch (RuntimeException | InterruptedException hostDied) {
            // Nobody confirms it.
        }
    }

    @Test
    void aScriptWhoseStopWasBrokenOffIsEndedBeforeItsStageIs() throws Exception {
        var _ = agent.execute(script(STUBBORN));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains("stubborn"));
        var group = new ProcessGroup(new RunDirectory(state("")).leaders().getFirst().pid());
        var stop = Thread.ofVirtual().start(this::stopInVain);
        await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(state("exit")));
        restartHost();
        stop.join();

        var answer = answer(agent.execute(script(STUBBORN)));

        assertThat(answer).isEqualTo(new Answer("STAGE_FAILURE", "the script was stopped"));
        assertThat(group.members()).isEmpty();
    }

    @Test
    void whatAScriptLeftThatEndedByItselfIsNotStopped() throws Exception {
        assertThat(answer(agent.execute(script("sleep 600 & true"))).status())
                .isEqualTo("STAGE_SUCCESS");
        var group = new ProcessGroup(new RunDirectory(state("")).leaders().getFirst().pid());
        await().atMost(Duration.ofMinutes(5)).until(() -> group.members().size() == 1);

        agent.stop("scriptrun", "stage-1", "cancelled by ann");

        assertThat(group.members()).hasSize(1);
        assertThat(group.end()).isTrue();
    }
}
