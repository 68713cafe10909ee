// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ApplicationConfig.Replacement;
import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReplacingTest {
    private static final String MANIFEST =
            """
            # The site.
            kind:   Deployment   # not a Service
            spec:
              replicas: 2

              template:
                containers:
                  - {name: "proxy", image: proxy:1}   # flow
                  - name:    site  # 日本
                    image: 'ghcr.io/site:v1'    # by events
                    note: "a \\"b\\""
            ---
            type: Service
            other.name: {x: y}
            text: |
              first
              second

            last: done
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "$.kind ~ StatefulSet ~ kind:   Deployment   # ~ kind:   StatefulSet   #",
                "$.spec.replicas ~ 3 ~ replicas: 2 ~ replicas: 3",
                "$.spec.replicas ~ many ~ replicas: 2 ~ replicas: many",
                "$.spec.template.containers[1].image ~ ghcr.io/site:v2 ~ 'ghcr.io/site:v1'    # ~ 'ghcr.io/site:v2'    #",
                "$.spec.template.containers[1].image ~ it's ~ 'ghcr.io/site:v1'    # ~ 'it''s'    #",
                "$.spec.template.containers[1].note ~ say \"c\" ~ \"a \\\"b\\\"\" ~ \"say \\\"c\\\"\"",
                "$.spec.template.containers[0].image ~ proxy:2 ~ image: proxy:1} ~ image: proxy:2}",
                "$.spec.template.containers[0].image ~ a, b ~ image: proxy:1} ~ image: \"a, b\"}",
                "$.spec.template.containers[1].name ~ 1.10 ~ name:    site  # ~ name:    \"1.10\"  #",
                "$.spec.template.containers[1].name ~ yes ~ name:    site  # ~ name:    \"yes\"  #",
                "$.spec.template.containers[1].name ~ a: b ~ name:    site  # ~ name:    \"a: b\"  #",
                "$.'other.name'.x ~ z ~ {x: y} ~ {x: z}",
                "$.last ~ v2 ~ last: done ~ last: v2",
            })
    void aValueOfAYamlFileIsReplacedAndNothingElse(
            String field, String value, String before, String after) {
        assertThat(yaml(MANIFEST, field, value)).isEqualTo(MANIFEST.replace(before, after));
    }

    /// Where a number stood only a number is written without quotes that is read as it was given.
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "1.9 ~ 1.10 ~ \"1.10\"",
                "1.9 ~ 1.8 ~ 1.8",
                "1.9 ~ 2 ~ 2",
                "1.9 ~ 2.0 ~ \"2.0\"",
                "123 ~ 012 ~ \"012\"",
                "123 ~ 124 ~ 124",
                "-5 ~ -7 ~ -7",
                "-5 ~ -0.5 ~ -0.5",
                "5 ~ -0 ~ \"-0\"",
                "5 ~ +7 ~ \"+7\"",
                "5 ~ 1e3 ~ \"1e3\"",
                "5 ~ 0x1f ~ \"0x1f\"",
                "5 ~ 1_000 ~ \"1_000\"",
                "5 ~ 1:30 ~ \"1:30\"",
                "5 ~ 99999999999999999999 ~ \"99999999999999999999\"",
                "5 ~ 0.12345678901234567 ~ \"0.12345678901234567\"",
                "5 ~ true ~ \"true\"",
                "5 ~ v5 ~ v5",
                "true ~ false ~ false",
                "true ~ 7 ~ \"7\"",
                "abc1234 ~ 12e4567 ~ \"12e4567\"",
                "abc1234 ~ 0o17 ~ \"0o17\"",
                "1.10 ~ 1.10 ~ 1.10",
            })
    void aNumberOfAYamlFileDoesNotBecomeAnotherOne(String before, String value, String after) {
        assertThat(yaml("tag: %s # c\n".formatted(before), "$.tag", value))
                .isEqualTo("tag: %s # c\n".formatted(after));
        assertThat(yaml("[%s, x]\n".formatted(before), "$[0]", value))
                .isEqualTo("[%s, x]\n".formatted(after));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "1.9 ~ 1.10 ~ \"1.10\"",
                "1.9 ~ 1.8 ~ 1.8",
                "-5 ~ -7 ~ -7",
                "5 ~ 012 ~ \"012\"",
                "5 ~ 1e3 ~ \"1e3\"",
                "5 ~ 99999999999999999999 ~ \"99999999999999999999\"",
                "1.10 ~ 1.10 ~ 1.10",
            })
    void aNumberOfAJsonFileDoesNotBecomeAnotherOne(String before, String value, String after) {
        assertThat(json("{\"tag\": %s}".formatted(before), "$.tag", value))
                .isEqualTo("{\"tag\": %s}".formatted(after));
    }

    @Test
    void aBlockOfTextKeepsItsHeaderAndIndentation() {
        assertThat(yaml(MANIFEST, "$.text", "one\ntwo\nthree"))
                .isEqualTo(
                        MANIFEST.replace(
                                "  first\n  second\n\nlast", "  one\n  two\n  three\n\nlast"));
        assertThat(yaml("a: >-\n  x\n  y\nb: 1\n", "$.a", "z")).isEqualTo("a: >-\n  z\nb: 1\n");
        assertThat(yaml("a: |\n  x\n", "$.a", " odd")).isEqualTo("a: \" odd\"\n");
    }

    @Test
    void everyItemAndEveryDocumentThatHasTheFieldIsChanged() {
        assertThat(yaml("- a: 1\n- b: 2\n- a: 3 # c\n", "$[*].a", "9"))
                .isEqualTo("- a: 9\n- b: 2\n- a: 9 # c\n");
        assertThat(yaml("a: 1\n---\nb: 1\n---\na: 2\n", "$.a", "7"))
                .isEqualTo("a: 7\n---\nb: 1\n---\na: 7\n");
    }

    @Test
    void anAnchorStaysAndAValueElsewhereIsNotChangedThroughAnAlias() {
        assertThat(yaml("a: &tag v1\nb: *tag\n", "$.a", "v2")).isEqualTo("a: &tag v2\nb: *tag\n");
        assertThatThrownBy(() -> yaml("a: &tag v1\nb: *tag\n", "$.b", "v2"))
                .hasMessage(
                        "f.yaml: $.b: an alias in line 2 (expected: a text, a number or a boolean)");
    }

    @Test
    void windowsLinesAndTheMarkOfTheirOrderStay() {
        assertThat(yaml("\uFEFFa: 1\r\nb: 'x' # c\r\n", "$.b", "y"))
                .isEqualTo("\uFEFFa: 1\r\nb: 'y' # c\r\n");
    }

    @Test
    void whatIsThereAlreadyIsNotWrittenInAnotherWay() {
        for (var field : new String[] {"$.kind", "$.text", "$.spec.replicas"}) {
            var value =
                    switch (field) {
                        case "$.text" -> "first\nsecond\n";
                        case "$.spec.replicas" -> "2";
                        default -> "Deployment";
                    };
            var file = field.equals("$.kind") ? "kind:  Deployment # x\n" : MANIFEST;
            assertThat(yaml(file, field, value)).isEqualTo(file);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "$.spec.nothing ~ $.spec.nothing: not there (expected: a field of the file)",
                "$.spec ~ $.spec: a list or an object in line 4 (expected: a text, a number or a boolean)",
                "$.empty ~ $.empty: null in line 5 (expected: a text, a number or a boolean)",
                "spec ~ field: \"spec\" (expected: a path such as $.spec.containers[0].image)",
                "$..image ~ field: \"$..image\" (expected: a path such as $.spec.containers[0].image)",
            })
    void aFieldThatCannotBeReplacedIsToldAndTheFileNamed(String field, String message) {
        var file = "# x\nkind: a\nspec:\n  b: 1\nempty:\n";
        assertThatThrownBy(() -> yaml(file, field, "v"))
                .isInstanceOf(Problem.class)
                .hasMessage("f.yaml: " + message);
    }

    @Test
    void aFileThatIsNoYamlIsToldWithItsLine() {
        assertThatThrownBy(() -> yaml("a: 1\nb: {{ .Values.x }}\n  c: [\n", "$.a", "v"))
                .hasMessageMatching("f.yaml: line \\d+: .* \\(expected: YAML\\)");
    }

    @Test
    void aValueOfAJsonFileIsReplacedAndNothingElse() {
        var file = "{\n\t\"image\" :  \"a\\u00e9:v1\",\n\t\"n\": [1, {\"on\": true}, -2.5e1] }\n";

        assertThat(json(file, "$.image", "a\"b\\c\n"))
                .isEqualTo(file.replace("\"a\\u00e9:v1\"", "\"a\\\"b\\\\c\\n\""));
        assertThat(json(file, "$.image", "aé:v1")).isEqualTo(file);
        assertThat(json(file, "$.n[0]", "12")).isEqualTo(file.replace("[1,", "[12,"));
        assertThat(json(file, "$.n[0]", "v12")).isEqualTo(file.replace("[1,", "[\"v12\","));
        assertThat(json(file, "$.n[1].on", "false")).isEqualTo(file.replace("true", "false"));
        assertThat(json(file, "$.n[2]", "7")).isEqualTo(file.replace("-2.5e1", "7"));
    }

    @Test
    void aJsonFileThatDoesNotFitIsTold() {
        assertThatThrownBy(() -> json("{\"a\": {\"b\": null}}", "$.a", "v"))
                .hasMessage(
                        "f.yaml: $.a: a list or an object in line 1 (expected: a text, a number or a boolean)");
        assertThatThrownBy(() -> json("{\"a\": {\"b\": null}}", "$.a.b", "v"))
                .hasMessage(
                        "f.yaml: $.a.b: null in line 1 (expected: a text, a number or a boolean)");
        assertThatThrownBy(() -> json("{}", "$.a", "v"))
                .hasMessage("f.yaml: $.a: not there (expected: a field of the file)");
        assertThatThrownBy(() -> json("{\n\"a\": ", "$.a", "v"))
                .hasMessageMatching("(?s)f.yaml: line \\d: .*\\(expected: JSON\\)");
    }

    @Test
    void theFirstGroupOfARegexIsReplacedWhereverItMatches() {
        var file = "FROM base:1.0 # image: x\nimage: site:v1\nimage: site:v1 # again $1\n";

        assertThat(regex(file, "image: site:(\\S+)", "v$1"))
                .isEqualTo(
                        "FROM base:1.0 # image: x\nimage: site:v$1\nimage: site:v$1 # again $1\n");
        assertThat(regex(file, "(?m)^FROM base:([0-9.]+)", "1.1"))
                .isEqualTo(file.replace("base:1.0", "base:1.1"));
    }

    @Test
    void aRegexWithoutAGroupOrAMatchIsTold() {
        assertThatThrownBy(() -> regex("a", "a", "v"))
                .hasMessage("f.yaml: regex: a (expected: a group around what is replaced)");
        assertThatThrownBy(() -> regex("a", "(b)", "v"))
                .hasMessage("f.yaml: regex: (b) catches nothing (expected: a place in the file)");
        assertThatThrownBy(() -> regex("v1 of image", "v1|image: (.*)", "v2"))
                .hasMessage(
                        "f.yaml: regex: v1|image: (.*) catches nothing (expected: a place in the file)");
        assertThatThrownBy(() -> regex("a", "(b", "v"))
                .hasMessageStartingWith("f.yaml: regex: (b: ");
    }

    @Test
    void anHclFieldIsSaidNotToBeKnownInsteadOfEmptyingTheFile() {
        assertThatThrownBy(() -> replace("a = 1", new Replacement("f", "", "", "a", ""), "2"))
                .hasMessage("f.yaml: HCLField: a (expected: yamlField, jsonField or regex)");
    }

    @Test
    void bytesThatAreNoTextAreLeftAlone() {
        assertThatThrownBy(() ->
                        Replacing.apply(
                                new Replacement("f", "", "", "", "(a)"),
                                "f.bin",
                                new byte[] {(byte) 0xff, 'a'},
                                "b"))
                .hasMessage("f.bin: bytes that are no text (expected: UTF-8)");
    }

    /// With places counted from the beginning each time this takes hours.
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    void aLongListIsReplacedInOneGo() {
        var many = 200_000;

        assertThat(yaml("- \"\ud83d\ude00\" # one\n".repeat(many), "$[*]", "v2"))
                .isEqualTo("- \"v2\" # one\n".repeat(many));
        assertThat(json("[\"v1\"" + ", \"v1\"".repeat(many) + "]", "$[*]", "v2"))
                .isEqualTo("[\"v2\"" + ", \"v2\"".repeat(many) + "]");
        assertThat(regex("tag: v1\n".repeat(many), "tag: (.*)", "v10"))
                .isEqualTo("tag: v10\n".repeat(many));
    }

    private static String yaml(String file, String field, String value) {
        return replace(file, new Replacement("f", field, "", "", ""), value);
    }

    private static String json(String file, String field, String value) {
        return replace(file, new Replacement("f", "", field, "", ""), value);
    }

    private static String regex(String file, String regex, String value) {
        return replace(file, new Replacement("f", "", "", "", regex), value);
    }

    private static String replace(String file, Replacement replacement, String value) {
        return new String(
                Replacing.apply(
                        replacement, "f.yaml", file.getBytes(StandardCharsets.UTF_8), value),
                StandardCharsets.UTF_8);
    }
}
