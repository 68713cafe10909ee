// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class VerdictTest {
    /// `link.proto` tells the same numbers: agents and control planes of different ages must agree.
    @Test
    void whatIsSettledIsWhatTheProtocolSays() {
        assertThat(
                        Arrays.stream(Status.Code.values())
                                .filter(code -> Verdict.of(code) != Verdict.COME_AGAIN)
                                .map(Status.Code::value))
                .containsExactly(0, 3, 5, 6, 7, 9, 11, 12);
    }

    @Test
    void whatIsTooLargeForAMessageIsRefusedAndWhatTheServerIsTooBusyForComesAgain() {
        assertThat(Verdict.of(Status.Code.RESOURCE_EXHAUSTED, 4 << 20))
                .isEqualTo(Verdict.COME_AGAIN);
        assertThat(Verdict.of(Status.Code.RESOURCE_EXHAUSTED, (4 << 20) + 1))
                .isEqualTo(Verdict.REFUSED);
        assertThat(Verdict.of(Status.Code.UNAVAILABLE, 5 << 20)).isEqualTo(Verdict.COME_AGAIN);
    }

    @Test
    void whatWasSentBeforeIsTaken() {
        assertThat(Verdict.of(Status.Code.ALREADY_EXISTS)).isEqualTo(Verdict.TAKEN);
    }
}
