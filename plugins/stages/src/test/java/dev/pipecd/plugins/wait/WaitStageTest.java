// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.plugin.stage.Severity;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.testkit.TestRun;
import dev.pipecd.plugin.testkit.TestRun.LogLine;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaitStageTest {
    @TempDir Path directory;

    @Test
    void itWaitsForItsDurationAndTellsEveryTenSeconds() throws Exception {
        var run = TestRun.of(WaitStage.stage(), "{\"duration\": \"25s\"}", directory);

        assertThat(run.run()).isEqualTo(new StageOutcome.Succeeded());

        assertThat(run.now()).isEqualTo(TestRun.START.plusSeconds(25));
        assertThat(run.told())
                .containsExactly(
                        new LogLine(Severity.INFO, "Waiting for 25s, until 2026-01-31T12:00:25Z"),
                        new LogLine(Severity.INFO, "10s of 25s elapsed"),
                        new LogLine(Severity.INFO, "20s of 25s elapsed"),
                        new LogLine(Severity.SUCCESS, "Waited for 25s"));
    }

    @Test
    void calledAgainItWaitsOnlyTheRestAndTellsTheSameLines() throws Exception {
        var run =
                TestRun.of(WaitStage.stage(), "{\"duration\": \"25s\"}", directory)
                        .stopAfter(Duration.ofSeconds(12));
        assertThatThrownBy(run::run).isInstanceOf(InterruptedException.class);

        run.runAgain(Duration.ofSeconds(18));

        assertThat(run.now()).isEqualTo(TestRun.START.plusSeconds(25));
        assertThat(run.told())
                .extracting(LogLine::line)
                .containsExactly(
                        "Waiting for 25s, until 2026-01-31T12:00:25Z",
                        "10s of 25s elapsed",
                        "20s of 25s elapsed",
                        "Waited for 25s");
    }

    @Test
    void calledAgainAfterItsEndItDoesNotWait() throws Exception {
        var run = TestRun.of(WaitStage.stage(), "{\"duration\": \"5s\"}", directory);

        run.runAgain(Duration.ofHours(1));

        assertThat(run.now()).isEqualTo(TestRun.START.plus(Duration.ofHours(1)));
    }

    @Test
    void aClockThatWasSetBackCostsNoMoreThanTheWholeWait() throws Exception {
        var run = TestRun.of(WaitStage.stage(), "{\"duration\": \"25s\"}", directory);

        run.runAgain(Duration.ofHours(-1));

        assertThat(run.now()).isEqualTo(TestRun.START.minus(Duration.ofHours(1)).plusSeconds(25));
    }

    @Test
    void aDurationIsRequired() {
        assertThatThrownBy(() -> TestRun.of(WaitStage.stage(), "{}", directory))
                .hasMessage("duration: missing (expected: a duration such as 30s or 1h30m)");
    }

    @Test
    void aDurationMustBePositive() {
        assertThatThrownBy(() -> TestRun.of(WaitStage.stage(), "{\"duration\": \"0s\"}", directory))
                .hasMessage("duration: 0s (expected: > 0)");
    }

    @Test
    void aDurationMustBeOne() {
        assertThatThrownBy(() ->
                        TestRun.of(WaitStage.stage(), "{\"duration\": \"5 minutes\"}", directory))
                .hasMessage("duration: \"5 minutes\" (expected: a duration such as 30s or 1h30m)");
    }
}
