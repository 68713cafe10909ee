// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.testkit.TestRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Scripts whose state directory takes nothing for a while, as that of a full disk.
final class ScriptDiskTest {
    @TempDir Path home;

    @Test
    void aScriptThatEndedCountsAsGoingUntilItsExitCodeIsWritten() throws Exception {
        var state = Files.createDirectory(home.resolve("run"));
        var directory = new RunDirectory(state);
        Files.createSymbolicLink(state.resolve("exit"), home.resolve("gone/exit"));

        var wrapper = directory.begin(new Script("exit 3", Map.of(), home));
        await().atMost(Duration.ofMinutes(5))
                .until(() -> !wrapper.isAlive() || isPausing(wrapper.toHandle()));
        var meanwhile = directory.look();
        Files.delete(state.resolve("exit"));
        wrapper.waitFor();

        assertThat(meanwhile).isEqualTo(new Sight.Going());
        assertThat(directory.look()).isEqualTo(new Sight.Ended(3));
    }

    private static boolean isPausing(ProcessHandle wrapper) {
        return wrapper.children()
                .anyMatch(child -> child.info().command().orElse("").endsWith("sleep"));
    }

    @Test
    void outputIsToldAlsoWhenItCannotBeWrittenHowFar() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"echo one; echo two\"}", home);
        var half = "position." + ProcessHandle.current().pid();
        Files.createDirectories(run.stateDirectory().resolve(half));

        assertThat(run.run()).isEqualTo(new StageOutcome.Succeeded());

        assertThat(run.told())
                .extracting(TestRun.LogLine::line)
                .containsExactly("one", "two", "The script ended with exit code 0");
    }

    @Test
    void aScriptThatCannotBeFollowedIsEndedBeforeItsStageFails() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"exec sleep 600\"}", home);
        var state = Files.createDirectories(run.stateDirectory());
        Files.createSymbolicLink(state.resolve("output.log"), home.resolve("taken away"));
        var directory = new RunDirectory(state);
        // In one act: in between there would be no output at all.
        var folder = Files.createDirectories(home.resolve("folder"));
        var link = Files.createSymbolicLink(home.resolve("link"), folder);
        var script =
                new Script(
                        "mv -fT '%s' '%s'; exec sleep 600"
                                .formatted(link, state.resolve("output.log")),
                        Map.of(),
                        home);

        var outcome = script.follow(run);

        assertThat(outcome)
                .isEqualTo(
                        unusable(
                                state,
                                "java.io.FileNotFoundException: %s/output.log (Is a directory)"
                                        .formatted(state)));
        assertThat(directory.look()).isEqualTo(new Sight.Ended(143));
        var leader = directory.leaders().getFirst();
        assertThat(new ProcessGroup(leader.pid()).members()).isEmpty();
    }

    private static StageOutcome unusable(Path state, String why) {
        return new StageOutcome.Failed(
                "state directory: %s: %s (expected: a folder the plugin can read and write, on a disk with room)."
                                .formatted(state, why)
                        + " Make room or mend its rights, then deploy again.");
    }

    @Test
    void aScriptThatCannotBeWrittenDownFailsWithTheReason() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"echo ran > ran\"}", home);
        var half = "script." + ProcessHandle.current().pid();
        var inTheWay = Files.createDirectories(run.stateDirectory().resolve(half));

        var outcome = run.run();

        assertThat(outcome)
                .isEqualTo(
                        unusable(
                                run.stateDirectory(),
                                "java.io.FileNotFoundException: %s (Is a directory)"
                                        .formatted(inTheWay)));
        assertThat(home.resolve("ran")).doesNotExist();
    }

    @Test
    void aStopThatCannotBeWrittenDownIsAStop() throws Exception {
        var run =
                TestRun.of(ScriptStage.stage(), "{\"run\": \"exec sleep 600\"}", home)
                        .stopAfter(Duration.ZERO);
        var state = Files.createDirectories(run.stateDirectory());
        Files.createDirectory(state.resolve("exit." + ProcessHandle.current().pid()));
        Files.createSymbolicLink(state.resolve("exit"), home.resolve("gone/exit"));
        var directory = new RunDirectory(state);
        var wrapper = directory.begin(new Script("exec sleep 600", Map.of(), home));
        await().atMost(Duration.ofMinutes(5)).until(() -> directory.look() instanceof Sight.Going);

        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);

        wrapper.waitFor();
        assertThat(directory.look()).isEqualTo(new Sight.Lost());
    }

    @Test
    void aScriptThatMayHaveBegunBeforeAPowerCutIsNotRunAgain() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"echo ran > ran\"}", home);
        var state = Files.createDirectories(run.stateDirectory());
        // What was not brought to the disk is gone: claim, record and exit code.
        Files.writeString(state.resolve("beginning"), "another start of the machine");

        var outcome = run.run();

        assertThat(outcome)
                .asString()
                .contains("the outcome of the script cannot be known: it was begun, is gone");
        assertThat(home.resolve("ran")).doesNotExist();
    }

    @Test
    void aBeginningThatAnEarlierHostWroteIsBroughtToTheDiskBeforeTheScriptBegins()
            throws Exception {
        var state = Files.createDirectory(home.resolve("run"));
        var beginning = Files.writeString(state.resolve("beginning"), Leader.thisBoot());
        var synced = new ArrayList<Path>();
        Disk disk =
                place -> {
                    assertThat(state.resolve("output.log")).doesNotExist();
                    synced.add(place);
                };

        new RunDirectory(state, disk).begin(new Script("true", Map.of(), home)).waitFor();

        assertThat(synced).containsExactly(beginning, state);
        assertThat(state.resolve("output.log")).exists();
    }

    @Test
    void aStopWhileTheBeginningIsBroughtToTheDiskIsAStop() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"echo ran > ran\"}", home);
        Thread.currentThread().interrupt();

        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);

        assertThat(home.resolve("ran")).doesNotExist();
        assertThat(new RunDirectory(run.stateDirectory()).look()).isEqualTo(new Sight.Stopped());
    }

    @Test
    void anInterruptKeepsNothingFromTheDiskAndIsNotForgotten() throws Exception {
        Thread.currentThread().interrupt();

        Disk.REAL.sync(home);

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aScriptWhoseFolderIsGoneSaysSo() throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"true\"}", home);
        var gone = home.resolve("gone");

        var outcome = new Script("true", Map.of(), gone).follow(run);

        assertThat(outcome)
                .isEqualTo(
                        new StageOutcome.Failed(
                                "application directory: %s: is gone (expected: the files of the commit). Deploy again; they are laid out anew."
                                        .formatted(gone)));
    }

    @Test
    void anExitCodeThatOutlivedAPowerCutCounts() throws Exception {
        var state = Files.createDirectory(home.resolve("run"));
        Files.writeString(state.resolve("beginning"), "another start of the machine");
        Files.writeString(state.resolve("exit"), "4\n");

        assertThat(new RunDirectory(state).look()).isEqualTo(new Sight.Ended(4));
    }

    @Test
    void anExitCodeWithoutItsEndIsNotOne() throws Exception {
        var state = Files.createDirectory(home.resolve("run"));
        var directory = new RunDirectory(state);
        var wrapper = directory.begin(new Script("exec sleep 600", Map.of(), home));
        await().atMost(Duration.ofMinutes(5)).until(() -> directory.look() instanceof Sight.Going);

        Files.writeString(state.resolve("exit"), "1");

        assertThat(directory.look()).isEqualTo(new Sight.Going());
        directory.stop();
        wrapper.waitFor();
        assertThat(directory.look()).isEqualTo(new Sight.Ended(143));
    }
}
