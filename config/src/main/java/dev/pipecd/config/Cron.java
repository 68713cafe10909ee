// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// When something is done again and again, written as for the public server.
public sealed interface Cron {
    /// Empty when it is not a schedule, or one that never comes.
    static Optional<Cron> parse(String text) {
        var plain = text.strip();
        return plain.startsWith("@every ")
                ? GoDuration.parse(plain.substring("@every ".length()).strip()).map(Every::of)
                : Times.parse(plain).map(times -> times);
    }

    /// The first time behind that one.
    Instant after(Instant time);

    /// With always the same time between, in whole seconds and at least one.
    record Every(Duration pause) implements Cron {
        private static final Duration LEAST = Duration.ofSeconds(1);

        static Every of(Duration asked) {
            return new Every(
                    asked.compareTo(LEAST) < 0 ? LEAST : Duration.ofSeconds(asked.toSeconds()));
        }

        @Override
        public Instant after(Instant time) {
            return Instant.ofEpochSecond(time.getEpochSecond()).plus(pause);
        }
    }

    /// Minute, hour, day of the month, month, day of the week; each is a set of numbers.
    ///
    /// @param zone UTC unless the schedule begins with another
    record Times(long minutes, long hours, long days, long months, long weekdays, ZoneId zone)
            implements Cron {
        private static final int YEARS_AHEAD = 9; // the 29th of February may be eight years away
        private static final List<String> MONTHS =
                List.of(
                        "", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct",
                        "nov", "dec");
        private static final List<String> WEEKDAYS =
                List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
        private static final Map<String, String> SHORT_FORMS =
                Map.of(
                        "@yearly", "0 0 1 1 *",
                        "@annually", "0 0 1 1 *",
                        "@monthly", "0 0 1 * *",
                        "@weekly", "0 0 * * 0",
                        "@daily", "0 0 * * *",
                        "@midnight", "0 0 * * *",
                        "@hourly", "0 * * * *");

        /// Set in a day field that names no day, so that the other one alone decides.
        private static final long ANY = 1L << 63;

        static Optional<Times> parse(String text) {
            try {
                var zoned = text.startsWith("TZ=") || text.startsWith("CRON_TZ=");
                var parts = text.split("\\s+", 2);
                if (zoned && parts.length < 2) return Optional.empty();
                var zone =
                        zoned
                                ? ZoneId.of(parts[0].substring(parts[0].indexOf('=') + 1))
                                : ZoneOffset.UTC;
                var rest = zoned ? parts[1] : text;
                var fields = SHORT_FORMS.getOrDefault(rest, rest).split("\\s+", -1);
                if (fields.length != 5) return Optional.empty();
                var times =
                        new Times(
                                set(fields[0], 0, 59, List.of()),
                                set(fields[1], 0, 23, List.of()),
                                set(fields[2], 1, 31, List.of()),
                                set(fields[3], 1, 12, MONTHS),
                                set(fields[4], 0, 6, WEEKDAYS),
                                zone);
                times.after(Instant.EPOCH);
                return Optional.of(times);
            } catch (NumberFormatException | DateTimeException e) {
                return Optional.empty();
            }
        }

        private static long set(String field, int least, int most, List<String> names) {
            var set = 0L;
            for (var part : field.split(",", -1)) set |= part(part, least, most, names);
            return set;
        }

        private static long part(String part, int least, int most, List<String> names) {
            var slash = part.split("/", -1);
            var span = slash[0].split("-", -1);
            if (slash.length > 2 || span.length > 2) throw new NumberFormatException(part);
            var all = slash[0].equals("*") || slash[0].equals("?");
            var from = all ? least : number(span[0], names);
            var single = span.length == 1 && slash.length == 1;
            var to =
                    all || (span.length == 1 && !single)
                            ? most
                            : number(span[span.length - 1], names);
            var step = slash.length == 1 ? 1 : Integer.parseInt(slash[1]);
            if (from < least || to > most || from > to || step < 1)
                throw new NumberFormatException(part);
            var set = all && step == 1 ? ANY : 0L;
            for (var i = from; i <= to; i += step) set |= 1L << i;
            return set;
        }

        private static int number(String text, List<String> names) {
            var name = names.indexOf(text.toLowerCase(Locale.ROOT));
            return name >= 0 && !text.isEmpty() ? name : Integer.parseUnsignedInt(text);
        }

        @Override
        public Instant after(Instant time) {
            var begin = time.atZone(zone).toLocalDateTime().withNano(0).withSecond(0);
            var next = begin.plusMinutes(1);
            var last = next.toLocalDate().plusYears(YEARS_AHEAD);
            for (var day = next.toLocalDate(); day.isBefore(last); day = day.plusDays(1)) {
                if (!on(day)) continue;
                var from = day.equals(next.toLocalDate()) ? next.toLocalTime() : LocalTime.MIN;
                for (var hour = from.getHour(); hour < 24; hour++) {
                    if (!has(hours, hour)) continue;
                    var first = hour == from.getHour() ? from.getMinute() : 0;
                    for (var minute = first; minute < 60; minute++) {
                        if (!has(minutes, minute)) continue;
                        var at = day.atTime(hour, minute).atZone(zone).toInstant();
                        if (at.isAfter(time)) return at; // an hour may come twice in autumn
                    }
                }
            }
            throw new DateTimeException("schedule: never (expected: a day there is)");
        }

        /// Of two days that are both named, either will do, as everywhere with cron.
        private boolean on(LocalDate day) {
            if (!has(months, day.getMonthValue())) return false;
            var inMonth = has(days, day.getDayOfMonth());
            var inWeek = has(weekdays, day.getDayOfWeek().getValue() % 7);
            return (days & ANY) != 0 || (weekdays & ANY) != 0
                    ? inMonth && inWeek
                    : inMonth || inWeek;
        }

        private static boolean has(long set, int number) {
            return (set >>> number & 1) == 1;
        }
    }
}
