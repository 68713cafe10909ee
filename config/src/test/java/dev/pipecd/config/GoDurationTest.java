// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GoDurationTest {
    @ParameterizedTest
    @CsvSource({
        "1m30s, 90000000000",
        "500ms, 500000000",
        "1h2m3.5s, 3723500000000",
        "1us, 1000",
        "1µs, 1000",
        "1μs, 1000",
        "7ns, 7",
        "1.9ns, 1",
        ".5s, 500000000",
        "5.s, 5000000000",
        "-1.5h, -5400000000000",
        "+2s, 2000000000",
        "0, 0",
        "-0, 0",
        "9223372036854775807ns, 9223372036854775807",
        "-9223372036854775808ns, -9223372036854775808"
    })
    void whatGoReadsIsRead(String text, long nanos) {
        assertThat(GoDuration.parse(text)).hasValue(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "1",
                "1 s",
                "1d",
                "1m 30s",
                "1,5s",
                ".s",
                "-",
                "1S",
                "9223372036854775808ns",
                "3000000h",
                "--1s",
                "１s"
            })
    void whatGoRefusesIsRefused(String text) {
        assertThat(GoDuration.parse(text)).isEmpty();
    }

    @Test
    void aHugeTextIsRefused() {
        assertThat(GoDuration.parse("1s".repeat(100_000))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "1, 1ns",
        "1500, 1.5µs",
        "2000000, 2ms",
        "1000000000, 1s",
        "3500000000, 3.5s",
        "60000000000, 1m0s",
        "21600000000000, 6h0m0s",
        "3723500000000, 1h2m3.5s",
        "-90000000000, -1m30s"
    })
    void durationsAreWrittenAsGoWritesThem(long nanos, String text) {
        assertThat(GoDuration.format(Duration.ofNanos(nanos))).isEqualTo(text);
    }
}
