// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CronTest {
    @ParameterizedTest
    @CsvSource({
        "0 * * * *, 2026-11-16T03:17:59Z, 2026-11-16T04:00:00Z",
        "30 * * * *, 2026-11-16T03:30:00Z, 2026-11-16T04:30:00Z",
        "*/15 * * * *, 2026-11-16T03:44:00Z, 2026-11-16T03:45:00Z",
        "5/20 * * * *, 2026-11-16T03:06:00Z, 2026-11-16T03:25:00Z",
        "0 9 * * *, 2026-12-31T09:00:00Z, 2027-01-01T09:00:00Z",
        "0 0 29 feb *, 2026-11-16T00:00:00Z, 2028-02-29T00:00:00Z",
        "0 12 * * mon-fri, 2026-11-13T12:00:00Z, 2026-11-16T12:00:00Z",
        "0 0 1 * sun, 2026-11-16T00:00:00Z, 2026-11-22T00:00:00Z",
        "@daily, 2026-11-16T03:17:00Z, 2026-11-17T00:00:00Z",
        "@midnight, 2026-11-16T03:17:00Z, 2026-11-17T00:00:00Z",
        "@hourly, 2026-11-16T03:17:00Z, 2026-11-16T04:00:00Z",
        "@weekly, 2026-11-16T03:17:00Z, 2026-11-22T00:00:00Z",
        "@monthly, 2026-11-16T03:17:00Z, 2026-12-01T00:00:00Z",
        "@yearly, 2026-11-16T03:17:00Z, 2027-01-01T00:00:00Z",
        "@annually, 2026-11-16T03:17:00Z, 2027-01-01T00:00:00Z",
        "@every 1h, 2026-11-16T03:17:05.7Z, 2026-11-16T04:17:05Z",
        "@every 1h30m10.9s, 2026-11-16T03:00:00Z, 2026-11-16T04:30:10Z",
        "@every 10ms, 2026-11-16T03:00:00Z, 2026-11-16T03:00:01Z",
        "TZ=Asia/Tokyo 0 9 * * *, 2026-11-16T03:17:00Z, 2026-11-17T00:00:00Z",
        "CRON_TZ=Asia/Tokyo @daily, 2026-11-16T03:17:00Z, 2026-11-16T15:00:00Z",
        "TZ=Europe/Berlin 30 2 * * *, 2026-10-25T01:00:00Z, 2026-10-26T01:30:00Z"
    })
    void theNextTimeIsFound(String schedule, Instant after, Instant next) {
        assertThat(Cron.parse(schedule).orElseThrow().after(after)).isEqualTo(next);
    }

    @Test
    void aListOfHoursIsKept() {
        var cron = Cron.parse("0 1,13 * * *").orElseThrow();

        assertThat(cron.after(Instant.parse("2026-11-16T01:00:00Z")))
                .isEqualTo("2026-11-16T13:00:00Z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "* * * *",
                "60 * * * *",
                "* 24 * * *",
                "* * 0 * *",
                "* * * 13 *",
                "* * * * 7x",
                "*/0 * * * *",
                "5-1 * * * *",
                "1--3 * * * *",
                "0 0 30 2 *",
                "@every",
                "@every soon",
                "@every 1",
                "TZ=Asia/Tokyo",
                "TZ=Nowhere 0 * * * *",
                "@sometimes"
            })
    void whatIsNoScheduleIsRefused(String text) {
        assertThat(Cron.parse(text)).isEmpty();
    }
}
