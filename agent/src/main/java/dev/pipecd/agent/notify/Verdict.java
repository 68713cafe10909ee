// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/// What came of one attempt to tell a receiver.
sealed interface Verdict {
    record Delivered() implements Verdict {}

    /// @param after how long the receiver wants to be left alone; zero when it did not say
    record TryAgain(String why, Duration after) implements Verdict {
        TryAgain(String why) {
            this(why, Duration.ZERO);
        }
    }

    /// Another attempt would come to the same.
    record Refused(String why) implements Verdict {}

    static Verdict ofStatus(int status, HttpHeaders headers, Instant now) {
        if (status / 100 == 2) return new Delivered();
        var why = "it answers " + status;
        return status == 408 || status == 425 || status == 429 || status / 100 == 5
                ? new TryAgain(why, retryAfter(headers, now))
                : new Refused(why);
    }

    /// Seconds, or a date.
    static Duration retryAfter(HttpHeaders headers, Instant now) {
        var written = headers.firstValue("Retry-After").orElse("0").strip();
        try {
            if (written.matches("\\d{1,9}")) return Duration.ofSeconds(Long.parseLong(written));
            var date = ZonedDateTime.parse(written, DateTimeFormatter.RFC_1123_DATE_TIME);
            var left = Duration.between(now, date.toInstant());
            return left.isNegative() ? Duration.ZERO : left;
        } catch (DateTimeException notADate) {
            return Duration.ZERO;
        }
    }
}
