// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.plugin.stage.Otherwise;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OptionsReaderTest {
    record Part(int percent) {}

    record Options(
            String name,
            Duration pause,
            @Otherwise("[]") List<String> people,
            @Otherwise("{}") Map<String, Integer> weights,
            @Otherwise("false") boolean fast,
            Optional<Part> part) {}

    private static Options read(String json) {
        return OptionsReader.readAll(json.getBytes(StandardCharsets.UTF_8), Options.class);
    }

    @Test
    void whatIsLeftOutIsWhatTheRecordSays() {
        assertThat(read("{\"name\": \"a\", \"pause\": \"1h30m\"}"))
                .isEqualTo(
                        new Options(
                                "a",
                                Duration.ofMinutes(90),
                                List.of(),
                                Map.of(),
                                false,
                                Optional.empty()));
    }

    @Test
    void everythingGivenIsRead() {
        assertThat(
                        read(
                                """
                                {"name": "a", "pause": 1000000000, "people": ["x"], "weights": {"k": 3}, "fast": true, "part": {"percent": 5}}
                                """))
                .isEqualTo(
                        new Options(
                                "a",
                                Duration.ofSeconds(1),
                                List.of("x"),
                                Map.of("k", 3),
                                true,
                                Optional.of(new Part(5))));
    }

    @Test
    void theCaseOfKeysDoesNotMatter() {
        assertThat(read("{\"NAME\": \"a\", \"Pause\": \"1s\"}").name()).isEqualTo("a");
    }

    @Test
    void nullIsAsLeftOut() {
        assertThatThrownBy(() -> read("{\"name\": null, \"pause\": \"1s\", \"fast\": null}"))
                .hasMessage("name: missing (expected: text)");
    }

    record Nested(
            @Otherwise("{}") Map<String, String> env,
            @Otherwise("[]") List<String> people,
            @Otherwise("[]") List<Duration> pauses,
            @Otherwise("[]") List<Part> parts,
            @Otherwise("{}") Map<String, Integer> weights,
            @Otherwise("{}") Map<String, Optional<String>> notes) {}

    private static Nested nested(String json) {
        return OptionsReader.readAll(json.getBytes(StandardCharsets.UTF_8), Nested.class);
    }

    @Test
    void aTextOfAMapThatIsNullIsEmpty() {
        var read = nested("{\"env\": {\"TOKEN\": null}, \"notes\": {\"a\": null}}");

        assertThat(read.env()).isEqualTo(Map.of("TOKEN", ""));
        assertThat(read.notes()).isEqualTo(Map.of("a", Optional.empty()));
    }

    @Test
    void nullWithinAListOrAMapIsAMistakeWithItsPlace() {
        assertThatThrownBy(() ->
                        nested(
                                """
                                {"people": ["ann", null], "pauses": [null], "parts": [null], "weights": {"k": null}}
                                """))
                .hasMessage(
                        "people[1]: null (expected: text); "
                                + "pauses[0]: null (expected: a duration such as 30s or 1h30m); "
                                + "parts[0]: null (expected: an object); "
                                + "weights.k: null (expected: a whole number)");
    }

    private static final String MISSPELT =
            "{\"name\": \"a\", \"pause\": \"1s\", \"nmae\": 1, \"part\": {\"percent\": 1, \"x\": 2}}";

    @Test
    void keysThatMeanNothingAreMistakes() {
        assertThatThrownBy(() -> read(MISSPELT))
                .hasMessage(
                        "part.x: no option (expected: one of percent); "
                                + "nmae: no option (expected: one of name, pause, people, weights, fast, part)");
    }

    @Test
    void whatWasPlannedIsReadAlsoWithKeysThatMeanNothing() {
        var with = MISSPELT.getBytes(StandardCharsets.UTF_8);

        assertThat(OptionsReader.read(with, Options.class).name()).isEqualTo("a");
    }

    @Test
    void aDeadlineStandsBesideTheOptionsAndWouldBeWithoutEffectAmongThem() {
        var with = "{\"name\": \"a\", \"pause\": \"1s\", \"timeout\": \"5m\", \"skipOn\": {}}";

        assertThatThrownBy(() -> read(with))
                .hasMessageContaining("timeout: no option (expected: one of name")
                .hasMessageContaining("skipOn: no option (expected: one of name");
    }

    @Test
    void everyMistakeIsToldAtOnce() {
        assertThatThrownBy(() ->
                        read(
                                """
                                {"name": 5, "pause": "soon", "people": "x", "weights": {"k": "3"}, "fast": "yes", "part": {"percent": 1.5}}
                                """))
                .hasMessage(
                        "name: 5 (expected: text); "
                                + "pause: \"soon\" (expected: a duration such as 30s or 1h30m); "
                                + "people: \"x\" (expected: a list, each text); "
                                + "weights.k: \"3\" (expected: a whole number); "
                                + "fast: \"yes\" (expected: true or false); "
                                + "part.percent: 1.5 (expected: a whole number)");
    }

    enum Mode {
        FAST,
        SLOW;

        @Override
        public String toString() {
            return "the " + name();
        }
    }

    record Choices(Mode mode, double share, @Otherwise("[]") List<Mode> others, Double rate) {}

    @Test
    void choicesAndNumbersAreToldAsPeopleWriteThem() {
        assertThatThrownBy(() -> choices("\"fsat\"", "\"half\"", "[1]", "\"a\""))
                .hasMessage(
                        "mode: \"fsat\" (expected: one of FAST, SLOW); "
                                + "share: \"half\" (expected: a number); "
                                + "others[0]: 1 (expected: one of FAST, SLOW); "
                                + "rate: \"a\" (expected: a number)");
        assertThat(choices("\"SLOW\"", "0.5", "[\"FAST\"]", "2"))
                .isEqualTo(new Choices(Mode.SLOW, 0.5, List.of(Mode.FAST), 2.0));
    }

    private static Choices choices(String mode, String share, String others, String rate) {
        return OptionsReader.readAll(
                """
                {"mode": %s, "share": %s, "others": %s, "rate": %s}
                """
                        .formatted(mode, share, others, rate)
                        .getBytes(StandardCharsets.UTF_8),
                Choices.class);
    }

    @Test
    void onlyAnObjectHoldsOptions() {
        assertThatThrownBy(() -> read("[1]"))
                .hasMessage("options: not an object (expected: an object)");
        assertThatThrownBy(() -> read("{")).hasMessage("options: not JSON (expected: an object)");
    }
}
