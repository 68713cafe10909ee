// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.StageId;
import dev.pipecd.wire.model.LogBlock;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LogLimitTest {
    private static final StageId LOUD = new StageId("loud");
    private static final StageId QUIET = new StageId("quiet");
    private static final LogBlock KIBIBYTE = LogBlock.newBuilder().setLog("x".repeat(1024)).build();

    private final LogLimit limit = new LogLimit();

    @Test
    void aHundredMegabytesAreCutWithOneLineThatSaysSo() {
        var megabyte = Collections.nCopies(1024, KIBIBYTE);

        var kept =
                IntStream.range(0, 100)
                        .mapToObj(_ -> limit.keep(LOUD, megabyte))
                        .flatMap(List::stream)
                        .toList();

        assertThat(kept.stream().mapToLong(LogBlock::getSerializedSize).sum())
                .isLessThanOrEqualTo(LogLimit.BYTES);
        assertThat(kept.getLast().getLog())
                .isEqualTo("The log is cut here: 16 MiB are kept, the stage goes on");
        assertThat(kept.stream().filter(b -> b.getLog().startsWith("The log is cut"))).hasSize(1);
    }

    @Test
    void otherStagesAreNotCut() {
        limit.keep(LOUD, Collections.nCopies(20 * 1024, KIBIBYTE));

        assertThat(limit.keep(QUIET, List.of(KIBIBYTE))).containsExactly(KIBIBYTE);
    }
}
