// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class LogAllowanceTest {
    private static final LogAllowance.Log LOG = log("s1");

    private final AtomicLong waiting = new AtomicLong();
    private final LogAllowance allowance = new LogAllowance(1 << 20, 2 << 20, waiting::get);

    @Test
    void anOrdinaryLogIsTakenWhole() {
        var blocks = blocks(1, 100, 50);

        assertThat(allowance.pass(LOG, blocks, true)).isEqualTo(blocks);
    }

    @Test
    void whatIsTooLongIsCutOffWithALineThatSaysSo() {
        var kept = allowance.pass(LOG, blocks(1, 300, 10_000), false);

        assertThat(kept).hasSizeBetween(100, 110);
        assertThat(kept.getLast().getLog())
                .isEqualTo(
                        "The log of this stage is longer than 1 MB: the agent leaves out what follows.");
        assertThat(kept.getLast().getIndex()).isEqualTo(kept.size());
    }

    @Test
    void afterThatNothingIsTakenButTheEndTellsHowMuchIsMissing() {
        var kept = allowance.pass(LOG, blocks(1, 300, 10_000), false);
        assertThat(allowance.pass(LOG, blocks(301, 700, 10), false)).isEmpty();

        var end = allowance.pass(LOG, List.of(), true);

        assertThat(end)
                .extracting(LogBlock::getLog)
                .containsExactly("… %d lines were left out.".formatted(1001 - kept.size()));
        assertThat(end.getFirst().getIndex()).isEqualTo(1000);
    }

    @Test
    void aLineThatIsTooLongByItselfIsReplaced() {
        assertThat(allowance.pass(LOG, blocks(1, 1, 2 << 20), true))
                .extracting(LogBlock::getLog)
                .containsExactly(
                        "The log of this stage is longer than 1 MB: the agent leaves out what follows.");
    }

    @Test
    void linesThatAreSentTwiceCountOnce() {
        var blocks = blocks(1, 80, 10_000);
        allowance.pass(LOG, blocks, false);

        assertThat(allowance.pass(LOG, blocks, true)).isEqualTo(blocks);
    }

    @Test
    void linesThatAllHaveOneNumberAreCutOffToo() {
        var one = blocks(7, 1, 10_000);
        var kept = 0;
        for (var i = 0; i < 1_000; i++) kept += allowance.pass(LOG, one, false).size();

        assertThat(kept).isLessThan(250);
    }

    @Test
    void linesThatAreSentAgainTooOftenKeepNoNewOneOut() {
        var blocks = blocks(1, 80, 10_000);
        for (var i = 0; i < 5; i++) allowance.pass(LOG, blocks, false);

        assertThat(allowance.pass(LOG, blocks, false)).isEmpty();
        assertThat(allowance.pass(LOG, blocks(81, 5, 10), true)).isEqualTo(blocks(81, 5, 10));
    }

    @Test
    void whatWasCutOffIsCutOffInTheSamePlaceWhenItIsSentAgain() {
        var blocks = blocks(1, 300, 10_000);
        var kept = allowance.pass(LOG, blocks, false);

        var again = allowance.pass(LOG, blocks, true);

        assertThat(again.subList(0, kept.size())).isEqualTo(kept);
        assertThat(again.getLast().getLog())
                .isEqualTo("… %d lines were left out.".formatted(301 - kept.size()));
    }

    @Test
    void theLogOfAnotherStageIsNotCutOff() {
        allowance.pass(LOG, blocks(1, 300, 10_000), false);

        assertThat(allowance.pass(log("s2"), blocks(1, 5, 10), false)).hasSize(5);
    }

    @Test
    void whileTooMuchWaitsForTheControlPlaneLogsAreCutOff() {
        waiting.set(3 << 20);

        assertThat(allowance.pass(LOG, blocks(1, 5, 10), false))
                .extracting(LogBlock::getLog)
                .containsExactly(
                        "More than 2 MB of logs wait for the control plane: the agent leaves out what follows.");
    }

    @Test
    void whileTooMuchWaitsWhatWasTakenBeforeIsNotTakenAgainAndNothingIsMissing() {
        var blocks = blocks(1, 5, 10);
        allowance.pass(LOG, blocks, false);
        waiting.set(3 << 20);

        assertThat(allowance.pass(LOG, blocks, false)).isEmpty();

        waiting.set(0);
        assertThat(allowance.pass(LOG, blocks(6, 5, 10), true)).isEqualTo(blocks(6, 5, 10));
    }

    private static LogAllowance.Log log(String stage) {
        return new LogAllowance.Log(new DeploymentId("d1"), new StageId(stage), 0);
    }

    private static List<LogBlock> blocks(long first, int count, int length) {
        var text = "x".repeat(length);
        return LongStream.range(first, first + count)
                .mapToObj(i -> LogBlock.newBuilder().setIndex(i).setLog(text).build())
                .toList();
    }
}
