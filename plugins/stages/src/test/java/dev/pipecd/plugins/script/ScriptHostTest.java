// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import dev.pipecd.plugins.HostProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/// Scripts in a real host process that is killed at every step: each runs exactly once and no line
/// is lost.
class ScriptHostTest {
    private static final String COUNTED =
            "echo ran >> ran; echo one; echo; echo two; %s echo three";
    private static final List<String> LINES =
            List.of("one", " ", "two", "three", "The script ended with exit code 0");
    private static final Answer SUCCESS = new Answer("STAGE_SUCCESS", "");

    @TempDir static Path home;

    private static FakeAgent agent;
    private static HostProcess host;

    @TempDir Path application;

    private String stage;

    @BeforeAll
    static void startHost() throws IOException {
        agent = FakeAgent.open(HostProcess.TOKEN);
        host = HostProcess.start(agent, home);
    }

    @AfterAll
    static void endHost() throws InterruptedException {
        host.close();
        agent.close();
    }

    @BeforeEach
    void nameStage(TestInfo test) {
        stage = test.getTestMethod().orElseThrow().getName();
    }

    private StageOrder script(String run) {
        return order("SCRIPT_RUN", stage, "{\"run\": \"" + run + "\"}");
    }

    private StageOrder order(String name, String stage, String with) {
        return new StageOrder("scriptrun", stage, name, 0, with, application);
    }

    private Path state(String file) {
        return home.resolve("state/scriptrun/deployment-1+" + stage).resolve(file);
    }

    private Answer answer(Future<Answer> call) throws Exception {
        return call.get(5, TimeUnit.MINUTES);
    }

    private void expectOneRunAndAllLines() throws IOException {
        assertThat(application.resolve("ran")).hasContent("ran");
        assertThat(agent.heard().lines(stage)).isEqualTo(LINES);
        assertThat(agent.heard().indexes(stage))
                .isEqualTo(
                        IntStream.range(0, LINES.size())
                                .mapToObj(n -> StageOrder.STARTED_AT.getEpochSecond() + n)
                                .toList());
        assertThat(agent.heard().contradictions()).isEmpty();
        assertThat(agent.heard().complete(stage)).isTrue();
    }

    private String untilOpened() {
        return "while [ ! -e open ]; do sleep 0.05; done;";
    }

    private void open() throws IOException {
        Files.createFile(application.resolve("open"));
    }

    @Test
    void aScriptRunsInTheApplicationDirectoryAndItsLinesArrive() throws Exception {
        assertThat(answer(agent.execute(script(COUNTED.formatted(""))))).isEqualTo(SUCCESS);

        expectOneRunAndAllLines();
        assertThat(agent.heard().pluginMetadata("scriptrun", "started-0")).hasValue("true");
    }

    @Test
    void anOldCustomSyncRunsItsCommandsAndIsToldNothingOfTheDeployment() throws Exception {
        var with =
                "{\"run\": \"echo $GREETING $WHO ${SR_DEPLOYMENT_ID:-alone}\", \"envs\": {\"GREETING\": \"hello\"},"
                        + " \"env\": {\"GREETING\": \"bye\", \"WHO\": \"ann\"}}";

        assertThat(answer(agent.execute(order("CUSTOM_SYNC", stage, with)))).isEqualTo(SUCCESS);

        assertThat(agent.heard().lines(stage))
                .containsExactly("hello ann alone", "The script ended with exit code 0");
    }

    @Test
    void anOldCustomSyncIsNotUndoneWithoutTheFilesOfBefore() throws Exception {
        assertThat(
                        answer(
                                agent.execute(
                                        order(
                                                "CUSTOM_SYNC_ROLLBACK",
                                                stage,
                                                "{\"run\": \"echo back\"}"))))
                .isEqualTo(
                        new Answer(
                                "STAGE_FAILURE",
                                "the files of the commit that runs now are not to be had"));
    }

    @Test
    void linesArriveWhileTheScriptRuns() throws Exception {
        var call = agent.execute(script(COUNTED.formatted(untilOpened())));

        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).equals(List.of("one", " ", "two")));
        open();

        assertThat(answer(call)).isEqualTo(SUCCESS);
    }

    @Test
    void aLostConnectionLeavesTheScriptAlone() throws Exception {
        var lost = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).contains("two"));

        lost.cancel(true);
        var call = agent.execute(script(COUNTED.formatted(untilOpened())));
        open();

        assertThat(answer(call)).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aNewerCallTakesOverFromAnOlderOne() throws Exception {
        var older = agent.execute(script(COUNTED.formatted(untilOpened())));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).contains("two"));

        var newer = agent.execute(script(COUNTED.formatted(untilOpened())));

        assertThat(answer(older))
                .isEqualTo(new Answer("ABORTED", "a newer call for this stage took over"));
        open();
        assertThat(answer(newer)).isEqualTo(SUCCESS);
        expectOneRunAndAllLines();
    }

    @Test
    void aStopEndsTheWholeGroupAlsoThoseWhoIgnoreIt() throws Exception {
        var call =
                agent.execute(
                        script(
                                "(trap '' TERM; echo stubborn; while :; do sleep 1; done) & (sleep 600) & echo begun; wait"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).containsAll(List.of("begun", "stubborn")));
        var leader = new RunDirectory(state("")).leaders().getFirst();
        assertThat(new ProcessGroup(leader.pid()).members()).hasSizeGreaterThan(2);

        agent.stop("scriptrun", stage, "cancelled by ann");

        assertThat(new ProcessGroup(leader.pid()).members()).isEmpty();
        assertThat(answer(call)).isEqualTo(new Answer("STAGE_CANCELLED", "cancelled by ann"));
        assertThat(agent.heard().lines(stage)).last().isEqualTo("stopped: cancelled by ann");
        assertThat(agent.heard().complete(stage)).isTrue();
    }

    @Test
    void whatIsLeftOfAScriptWhoseWrapperIsGoneIsEndedBeforeItsStageFails() throws Exception {
        var call = agent.execute(script("echo begun; sleep 600; echo after"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).contains("begun"));
        var leader = new RunDirectory(state("")).leaders().getFirst();

        ProcessHandle.of(leader.pid()).orElseThrow().destroyForcibly();
        var answer = answer(call);

        assertThat(new ProcessGroup(leader.pid()).members()).isEmpty();
        assertThat(answer)
                .isEqualTo(
                        new Answer(
                                "STAGE_FAILURE",
                                "the outcome of the script cannot be known: it was begun, is gone and left no exit code (was the"
                                        + " machine restarted?). It is not run a second time; what it had started still ran and was ended"));
    }

    @Test
    void aScriptThatIsStoppedHasTimeToTidyUp() throws Exception {
        var call =
                agent.execute(
                        script(
                                "trap 'sleep 0.3; echo tidied; exit 0' TERM; echo begun; while :; do sleep 0.05; done"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).contains("begun"));

        agent.stop("scriptrun", stage, "cancelled by ann");

        assertThat(answer(call)).isEqualTo(new Answer("STAGE_CANCELLED", "cancelled by ann"));
        assertThat(agent.heard().lines(stage))
                .containsSubsequence("begun", "tidied", "stopped: cancelled by ann");
    }

    @Test
    void aScriptStoppedBeforeItBeganNeverBegins() throws Exception {
        agent.stop("scriptrun", stage, "cancelled by ann");

        var answer = answer(agent.execute(script("echo ran >> ran")));

        assertThat(answer).isEqualTo(new Answer("STAGE_FAILURE", "the script was stopped"));
        assertThat(application.resolve("ran")).doesNotExist();
    }

    @Test
    void aPublicAgentStopsAScriptByCancellingTheCall() throws Exception {
        var call = agent.executeAsPublicAgent(script("echo begun; sleep 600"));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines(stage).contains("begun"));
        var leader = new RunDirectory(state("")).leaders().getFirst();

        call.cancel(true);

        await().atMost(Duration.ofMinutes(5))
                .until(() -> new ProcessGroup(leader.pid()).members().isEmpty());
    }

    @Test
    void theExitCodeIsTold() throws Exception {
        assertThat(answer(agent.execute(script("exit 7"))))
                .isEqualTo(new Answer("STAGE_FAILURE", "the script ended with exit code 7"));
        assertThat(agent.heard().lines(stage)).containsExactly("the script ended with exit code 7");
    }

    @Test
    void aScriptMayCloseItsOutput() throws Exception {
        assertThat(answer(agent.execute(script("echo before; exec >&- 2>&-; echo ran >> ran"))))
                .isEqualTo(SUCCESS);
        assertThat(agent.heard().lines(stage))
                .containsExactly("before", "The script ended with exit code 0");
    }

    @Test
    void errorsAndALastLineWithoutEndAreTold() throws Exception {
        assertThat(answer(agent.execute(script("echo wrong >&2; printf end")))).isEqualTo(SUCCESS);
        assertThat(agent.heard().lines(stage))
                .containsExactly("wrong", "end", "The script ended with exit code 0");
    }

    @Test
    void outputIsCutAtItsLimitAndTheScriptGoesOn() throws Exception {
        var call =
                agent.execute(
                        script(
                                "yes 0123456789012345678901234567890123456789012345678901234567890123456789"
                                        + "0123456789012345678901234567890123456789 | head -c 40000000; echo done > done"));

        assertThat(answer(call)).isEqualTo(SUCCESS);

        assertThat(application.resolve("done")).exists();
        var lines = agent.heard().lines(stage);
        assertThat(lines.subList(lines.size() - 2, lines.size()))
                .containsExactly(
                        "The output is cut here: 10 MiB are shown, the script goes on",
                        "The script ended with exit code 0");
        assertThat(lines).hasSize(10 * 1024 * 1024 / 111 + 3);
        assertThat(state("output.log"))
                .satisfies(file -> assertThat(Files.size(file)).isLessThan(ScriptOutput.LIMIT));
    }

    @Test
    void theEnvironmentIsThatOfTheContractAndPeoplesOwnWins() throws Exception {
        var order =
                order(
                        "SCRIPT_RUN",
                        stage,
                        "{\"run\": \"env | grep -E '^(SR_|OWN)' | LC_ALL=C sort\", \"env\": {\"OWN\": \"a b\", \"SR_SUMMARY\": \"mine\"}}");

        assertThat(answer(agent.execute(order))).isEqualTo(SUCCESS);

        assertThat(agent.heard().lines(stage))
                .containsExactly(
                        "OWN=a b",
                        "SR_APPLICATION_ID=application-1",
                        "SR_APPLICATION_NAME=site",
                        "SR_CONTEXT_RAW={\"deploymentID\":\"deployment-1\",\"applicationID\":\"application-1\","
                                + "\"applicationName\":\"site\",\"triggeredAt\":1769860800,\"triggeredCommitHash\":\"0123abcd\","
                                + "\"triggeredCommander\":\"ann\",\"repositoryURL\":\"https://git.example/site.git\","
                                + "\"summary\":\"Deploy 0123abcd\",\"labels\":{\"env\":\"test\"},\"isRollback\":false}",
                        "SR_DEPLOYMENT_ID=deployment-1",
                        "SR_IS_ROLLBACK=false",
                        "SR_LABELS_ENV=test",
                        "SR_REPOSITORY_URL=https://git.example/site.git",
                        "SR_SUMMARY=mine",
                        "SR_TRIGGERED_AT=1769860800",
                        "SR_TRIGGERED_COMMANDER=ann",
                        "SR_TRIGGERED_COMMIT_HASH=0123abcd",
                        "The script ended with exit code 0");
    }

    /// The profile of a login shell may miss its programs and set PATH anew: another variable tells
    /// that they arrive.
    @Test
    void variablesThatHideAllProgramsReachTheScriptAlone() throws Exception {
        var order =
                order(
                        "SCRIPT_RUN",
                        stage,
                        "{\"run\": \"echo \\\"$LD_OWN\\\"; exit 3\", \"env\": {\"PATH\": \"/nowhere\", \"LD_OWN\": \"it's\\n $HOME\"}}");

        assertThat(answer(agent.execute(order)))
                .isEqualTo(new Answer("STAGE_FAILURE", "the script ended with exit code 3"));

        assertThat(agent.heard().lines(stage))
                .endsWith("it's", " $HOME", "the script ended with exit code 3");
    }

    @Test
    void aRollbackRunsOnlyAfterAScriptThatWasBegun() throws Exception {
        var with = "{\"run\": \"exit 1\", \"onRollback\": \"echo undone $SR_IS_ROLLBACK\"}";

        assertThat(answer(agent.execute(undoable("SCRIPT_RUN_ROLLBACK", "undo-1", with))))
                .isEqualTo(new Answer("STAGE_SKIPPED", "the script of stage 7 was not begun"));
        assertThat(answer(agent.execute(undoable("SCRIPT_RUN", stage, with))).status())
                .isEqualTo("STAGE_FAILURE");
        assertThat(answer(agent.execute(undoable("SCRIPT_RUN_ROLLBACK", "undo-2", with))))
                .isEqualTo(SUCCESS);
        assertThat(agent.heard().lines("undo-2"))
                .containsExactly("undone true", "The script ended with exit code 0");
    }

    /// At an index of its own: what was begun is remembered for the whole deployment.
    private StageOrder undoable(String name, String id, String with) {
        return new StageOrder("scriptrun", id, name, 7, with, application);
    }

    @Test
    void ofManyWrappersAtOnceOneRunsTheScript() throws Exception {
        var directory = new RunDirectory(Files.createDirectory(home.resolve("run")));
        var script = new Script("echo ran >> ran", Map.of(), application);

        var wrappers = Stream.generate(() -> begin(directory, script)).limit(8).toList();
        for (var wrapper : wrappers) wrapper.waitFor();

        assertThat(application.resolve("ran")).hasContent("ran");
        assertThat(directory.look()).isEqualTo(new Sight.Ended(0));
    }

    private Process begin(RunDirectory directory, Script script) {
        try {
            return directory.begin(script);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
