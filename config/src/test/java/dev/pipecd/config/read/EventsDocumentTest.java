// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.config.ConfigException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EventsDocumentTest {
    @Test
    void tellsWhatEachEventReplaces() {
        var read =
                read(
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: EventWatcher
                        spec:
                          events:
                            - name: image
                              labels: {env: dev}
                              replacements:
                                - {file: a.yaml, yamlField: $.image}
                                - {file: b.tf, regex: "tag = (.*)"}
                        """);

        assertThat(read)
                .hasValue(
                        List.of(
                                new EventWatch(
                                        "image",
                                        Map.of("env", "dev"),
                                        "GIT_UPDATE",
                                        new EventUpdate(
                                                "",
                                                false,
                                                List.of(
                                                        new Replacement(
                                                                "a.yaml", "$.image", "", "", ""),
                                                        new Replacement(
                                                                "b.tf",
                                                                "",
                                                                "",
                                                                "",
                                                                "tag = (.*)"))))));
    }

    @Test
    void aFileOfAnotherKindTellsNothingWhateverItHolds() {
        assertThat(read("kind: AnalysisTemplate\nspec: 3\n")).isEmpty();
        assertThat(read("some: yaml\n")).isEmpty();
        assertThat(read("")).isEmpty();
    }

    @Test
    void allMistakesAreToldAtOnce() {
        assertThatThrownBy(() ->
                        read(
                                """
                                kind: EventWatcher
                                spec:
                                  events:
                                    - name: ""
                                      replacements:
                                        - {file: a}
                                        - {regex: (a)}
                                    - name: b
                                """))
                .isInstanceOf(ConfigException.class)
                .extracting(e -> ((ConfigException) e).problem().message())
                .asString()
                .contains("apiVersion: missing")
                .contains("events[0].name: missing")
                .contains(
                        "events[0].replacements[0]: nothing to look for (expected: yamlField, jsonField or regex)")
                .contains("events[0].replacements[1].file: missing (expected: a path)")
                .contains("events[1].replacements: empty (expected: at least one)");
    }

    private static Optional<List<EventWatch>> read(String text) {
        return Documents.events("events.yaml", text.getBytes(StandardCharsets.UTF_8))
                .map(loaded -> loaded.value());
    }
}
