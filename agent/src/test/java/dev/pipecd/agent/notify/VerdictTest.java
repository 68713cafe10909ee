// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class VerdictTest {
    @Test
    void aRestIsAskedForInSecondsOrUntilADate() {
        assertThat(asked("120")).isEqualTo(Duration.ofMinutes(2));
        // Samples.AT is 22:13:20 of that day.
        assertThat(asked("Tue, 14 Nov 2023 22:14:20 GMT")).isEqualTo(Duration.ofMinutes(1));
        assertThat(asked("Tue, 14 Nov 2023 22:00:00 GMT")).isZero();
        assertThat(asked("soon")).isZero();
        assertThat(asked("99999999999999999999")).isZero();
    }

    private static Duration asked(String retryAfter) {
        return Verdict.retryAfter(
                HttpHeaders.of(Map.of("Retry-After", List.of(retryAfter)), (_, _) -> true),
                Samples.AT);
    }
}
