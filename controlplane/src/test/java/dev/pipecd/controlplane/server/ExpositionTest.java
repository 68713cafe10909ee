// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExpositionTest {
    private final Exposition all = new Exposition();

    private String text() {
        return new String(all.text(), UTF_8);
    }

    private static Map<String, String> piped(String id) {
        return Map.of("piped", id);
    }

    @Test
    void familiesOfSeveralProcessesStandTogetherEachDeclaredOnce() {
        var text =
                """
                # HELP go_threads Threads.
                # TYPE go_threads gauge
                go_threads 7
                # TYPE calls counter
                calls{code="ok"} 1e+06 1700000000000
                """;
        all.add(text, piped("p1"));
        all.add(text, piped("p2"));

        assertThat(text())
                .isEqualTo(
                        """
                        # HELP go_threads Threads.
                        # TYPE go_threads gauge
                        go_threads{piped="p1"} 7
                        go_threads{piped="p2"} 7
                        # TYPE calls counter
                        calls{code="ok",piped="p1"} 1e+06
                        calls{code="ok",piped="p2"} 1e+06
                        """);
    }

    @Test
    void histogramsStayWhole() {
        var text =
                """
                # TYPE took histogram
                took_bucket{le="1"} 1
                took_bucket{le="+Inf"} 2
                took_sum 3.5
                took_count 2
                """;

        all.add(text, Map.of());

        assertThat(text()).isEqualTo(text);
    }

    @Test
    void nobodyCanSpeakInAnothersName() {
        all.add("up{piped=\"p2\",project=\"other\"} 0\n", Map.of("piped", "p1", "project", "here"));

        assertThat(text()).isEqualTo("# TYPE up untyped\nup{piped=\"p1\",project=\"here\"} 0\n");
    }

    @Test
    void whatTwoCallByTheSameNameAndMeanDifferentlyHasNoTypeAndIsToldOfBoth() {
        add("# HELP calls How often.\n# TYPE calls counter\ncalls 1\n", "p1");
        add("# TYPE calls gauge\ncalls 2\n", "p2");
        add("# TYPE took histogram\ntook_sum 1\ntook_count 3\n", "p1");
        add("# TYPE took_sum counter\ntook_sum 2\n", "p2");
        add("# TYPE fine gauge\nfine 1\n", "p2");
        add("# TYPE calls counter\ncalls 3\n# TYPE took histogram\ntook_sum 4\n", "p3");

        assertThat(text())
                .isEqualTo(
                        """
                        # TYPE fine gauge
                        fine{piped="p2"} 1
                        # TYPE calls untyped
                        calls{piped="p1"} 1
                        calls{piped="p2"} 2
                        calls{piped="p3"} 3
                        # TYPE took_sum untyped
                        took_sum{piped="p1"} 1
                        took_sum{piped="p3"} 4
                        took_sum{piped="p2"} 2
                        # TYPE took_count untyped
                        took_count{piped="p1"} 3
                        """);
    }

    @Test
    void whatThisProcessSaysOfItselfKeepsItsTypeWhateverOthersSay() {
        all.add("# TYPE calls counter\ncalls 1\n", Map.of());
        add("# TYPE calls gauge\ncalls 2\n", "p1");
        add("# TYPE calls counter\ncalls 3\n", "p2");

        assertThat(text()).isEqualTo("# TYPE calls counter\ncalls 1\ncalls{piped=\"p2\"} 3\n");
    }

    @Test
    void whatFindsNoRoomIsCutAndCounted() {
        var room = new Exposition.Room(20);
        all.add("up 1\nlonger_than_that 1\nlow 1\nmore 1\n", piped("p"), room);
        all.add("up 1\n", piped("q"), new Exposition.Room(20));

        assertThat(text()).isEqualTo("# TYPE up untyped\nup{piped=\"p\"} 1\nup{piped=\"q\"} 1\n");
        assertThat(room.cut()).isEqualTo(3);
        assertThat(room.left()).isEqualTo(4);
    }

    private void add(String text, String piped) {
        all.add(text, piped(piped), new Exposition.Room(1_000));
    }

    @Test
    void aSeriesToldTwiceIsToldOnce() {
        all.add("up 1\nup 2\n", piped("p1"));

        assertThat(text()).isEqualTo("# TYPE up untyped\nup{piped=\"p1\"} 1\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "up",
                "up one",
                "up 1 2 3",
                "0up 1",
                "up{} {} 1",
                "up{a=b} 1",
                "up{a=\"b} 1",
                "up{a=\"b\"",
                "up{a=\"b\\x\"} 1",
                "up{a=\"b\",a=\"c\"} 1",
                "up{0=\"b\"} 1",
                "up 0x10",
                "# TYPE up surprise",
                "# EOF",
                "\u0000"
            })
    void whatIsNoLineOfTheFormIsLeftOutAndTheRestStays(String line) {
        all.add(line + "\nfine 1\n", Map.of());

        assertThat(text()).isEqualTo("# TYPE fine untyped\nfine 1\n");
    }

    @Test
    void valuesOfLabelsCannotBreakOut() {
        all.add("up{a=\"x\\\"} 1\\n# TYPE \\\\ \u0001\"} 1\n", Map.of());

        assertThat(text()).isEqualTo("# TYPE up untyped\nup{a=\"x\\\"} 1\\n# TYPE \\\\  \"} 1\n");
    }

    @Test
    void aFloodOfSeriesIsCutOff() {
        var flood = new StringBuilder();
        for (var i = 0; i < 20_000; i++) flood.append("up{i=\"").append(i).append("\"} 1\n");
        var room = new Exposition.Room(1024 * 1024);
        all.add(flood.toString(), piped("p1"), room);
        all.add("up 1\n", piped("p2"), room);

        assertThat(text().lines()).hasSize(10_002).contains("up{piped=\"p2\"} 1");
        assertThat(room.cut()).isEqualTo(10_000);
    }

    @Test
    void aLineMadeToBeSlowIsNot() {
        all.add("up " + "9".repeat(8_000) + "x\nup{a=\"" + "\\n".repeat(4_000) + "\n", Map.of());
        all.add("x".repeat(1 << 20), Map.of());

        assertThat(text()).isEmpty();
    }
}
