// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.application;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static java.util.Map.entry;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class YamlTest {
    private static final String HEAD = "apiVersion: pipecd.dev/v1beta1\nkind: Application\n";

    @Test
    void brokenYamlIsToldWithItsPlace() {
        assertThat(mistakes(() -> application(HEAD + "spec:\n  name: [a, b\n  labels: {}\n")))
                .containsExactly(
                        "app.pipecd.yaml:5:9: expected ',' or ']', but got : (expected: YAML)");
    }

    @Test
    void aTabAsIndentationIsToldWithItsPlace() {
        assertThat(mistakes(() -> application(HEAD + "spec:\n\tname: x\n")))
                .containsExactly(
                        "app.pipecd.yaml:4:1: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation) (expected: YAML)");
    }

    @Test
    void bytesThatAreNoTextAreToldWithTheirPlace() {
        var bytes = (HEAD + "spec: {name: a?b}").getBytes(StandardCharsets.UTF_8);
        bytes[bytes.length - 3] = (byte) 0xC3;

        assertThat(mistakes(() -> Documents.application("a", bytes)))
                .containsExactly("a:3:15: bytes that are no text (expected: UTF-8)");
    }

    @Test
    void aControlCharacterIsToldWithItsPlace() {
        var text = HEAD + "# " + "long ".repeat(1000) + "\nspec: {name: a\u0007b}";

        assertThat(mistakes(() -> application(text)))
                .containsExactly(
                        "app.pipecd.yaml:4:15: character U+0007 (expected: printable text)");
    }

    @Test
    void anEscapeBeyondUnicodeIsAMistake() {
        assertThat(mistakes(() -> application(HEAD + "spec: {name: \"\\UFFFFFFFF\"}")))
                .hasSize(1)
                .first()
                .asString()
                .endsWith("(expected: YAML)");
    }

    @Test
    void aMarkForTheByteOrderIsSkipped() {
        assertThat(application("\uFEFF" + HEAD).value().name()).isEmpty();
    }

    @Test
    void nothingAtAllLacksItsEnvelope() {
        assertThat(mistakes(() -> application("")))
                .containsExactly(
                        "app.pipecd.yaml:1:1: apiVersion: missing (expected: pipecd.dev/v1beta1)",
                        "app.pipecd.yaml:1:1: kind: missing (expected: one of Application, KubernetesApp, TerraformApp, LambdaApp, CloudRunApp, ECSApp)");
    }

    @Test
    void aListIsNoDocument() {
        assertThat(mistakes(() -> application("- a\n- b\n")))
                .containsExactly(
                        "app.pipecd.yaml:1:1: a list (expected: an object with apiVersion, kind and spec)");
    }

    @Test
    void anotherVersionAndAnotherKindAreBothTold() {
        assertThat(
                        mistakes(() ->
                                application(
                                        "apiVersion: v1\nkind: Aplication\nspec: {nonsense: 1}\n")))
                .containsExactly(
                        "app.pipecd.yaml:1:13: apiVersion: \"v1\" (expected: pipecd.dev/v1beta1)",
                        "app.pipecd.yaml:2:7: kind: \"Aplication\" (expected: one of Application, KubernetesApp, TerraformApp, LambdaApp, CloudRunApp, ECSApp; did you mean \"Application\"?)");
    }

    @Test
    void anEmptyKindIsMissing() {
        assertThat(mistakes(() -> application("apiVersion: pipecd.dev/v1beta1\nkind: ''\n")))
                .hasSize(1)
                .first()
                .asString()
                .contains(":2:7: kind: missing");
    }

    @Test
    void aFileOfFiftyMegabytesIsRefusedUnread() {
        assertThatThrownBy(() -> Documents.application("app.pipecd.yaml", new byte[50_000_000]))
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem ->
                                assertThat(problem.code()).isEqualTo(Problem.Code.CONFIG_TOO_LARGE))
                .hasMessage("app.pipecd.yaml: 50000000 bytes (expected: at most 1048576)");
    }

    @Test
    void anAliasBombIsStopped() {
        var bomb = new StringBuilder(HEAD + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (var i = 1; i < 12; i++)
            bomb.append("a%d: &a%d [".formatted(i, i))
                    .append("*a%d, ".formatted(i - 1).repeat(10))
                    .append("]\n");

        assertThat(mistakes(() -> application(bomb.toString())))
                .hasSize(1)
                .first()
                .asString()
                .endsWith("aliases: more than 250000 parts when followed (expected: fewer)");
    }

    @Test
    void aliasesThatStackUpAreStopped() {
        var tower = new StringBuilder(HEAD + "a0: &a0 {x: 1}\n");
        for (var i = 1; i < 2000; i++)
            tower.append("a%d: &a%d {x: {x: {x: *a%d}}}\n".formatted(i, i, i - 1));

        assertThat(mistakes(() -> application(tower.toString())))
                .hasSize(1)
                .first()
                .asString()
                .endsWith("nesting: more than 100 levels (expected: fewer)");
    }

    @Test
    void deepNestingIsStoppedWhereItGoesTooDeep() {
        assertThat(mistakes(() -> application(HEAD + "spec: " + "[".repeat(100_000))))
                .containsExactly(
                        "app.pipecd.yaml:3:106: nesting: more than 100 levels (expected: fewer)");
        assertThat(mistakes(() -> application(HEAD + "spec: " + "{a: ".repeat(100_000))))
                .hasSize(1);
        assertThat(mistakes(() -> application(HEAD + "spec:\n" + "- ".repeat(100_000)))).hasSize(1);
    }

    @Test
    void tooManyPartsAreStopped() {
        assertThat(mistakes(() -> application(HEAD + "spec: [" + "1,".repeat(300_000) + "]")))
                .hasSize(1)
                .first()
                .asString()
                .endsWith("parts: more than 250000 (expected: fewer)");
    }

    @Test
    void anAliasToWhatHoldsItIsRefused() {
        assertThat(mistakes(() -> application(HEAD + "spec: &s\n  labels: *s\n")))
                .containsExactly(
                        "app.pipecd.yaml:3:7: spec.labels: an alias to what holds it (expected: no circle)");
    }

    @Test
    void anAliasToNothingIsBroken() {
        assertThat(mistakes(() -> application(HEAD + "spec: *nowhere\n")))
                .containsExactly(
                        "app.pipecd.yaml:3:7: found undefined alias nowhere (expected: YAML)");
    }

    @Test
    void anAliasIsFollowed() {
        var app = application(HEAD + "spec:\n  description: &d some words\n  name: *d\n").value();

        assertThat(app.name()).isEqualTo("some words");
    }

    @Test
    void mergeKeysAreAppliedAndWhatIsWrittenWins() {
        var app =
                application(
                                HEAD
                                        + """
                                        spec:
                                          labels:
                                            <<: [{a: "1", b: "1"}, {b: "2", c: "2"}]
                                            c: "3"
                                        """)
                        .value();

        assertThat(app.about().labels())
                .containsOnly(entry("a", "1"), entry("b", "1"), entry("c", "3"));
    }

    @Test
    void onlyObjectsAreMerged() {
        assertThat(mistakes(() -> application(HEAD + "spec:\n  <<: 5\n")))
                .containsExactly(
                        "app.pipecd.yaml:4:7: spec.<<: 5 (expected: an object or a list of objects)");
    }

    @Test
    void aKeyThatComesTwiceIsAMistakeAlsoInAnotherCase() {
        assertThat(
                        mistakes(() ->
                                application(
                                        HEAD
                                                + "spec:\n  name: a\n  labels: {x: '1', x: '2'}\n  NAME: b\n")))
                .containsExactly(
                        "app.pipecd.yaml:5:20: spec.labels.x: a second time (expected: once; it is in line 5)",
                        "app.pipecd.yaml:6:3: spec.NAME: a second time (expected: once; it is name in line 4)");
    }

    @Test
    void namesOfTheAuthorsOwnMayDifferInCaseOnly() {
        assertThat(application(HEAD + "spec: {labels: {x: '1', X: '2'}}").value().about().labels())
                .hasSize(2);
    }

    @Test
    void onlyTheFirstDocumentIsRead() {
        var loaded = application(HEAD + "---\nkind: Other\n");

        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:4:1: a second document (ignored: only the first is read)");
        assertThat(warnings(application(HEAD + "---\n"))).isEmpty();
    }

    @Test
    void brokenTextBehindTheFirstDocumentDoesNotBreakIt() {
        var loaded = application(HEAD + "---\n[broken\n");

        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:5:1: text after the first document (ignored: it is not YAML)");
    }

    @ParameterizedTest
    @CsvSource({
        "y, true",
        "Yes, true",
        "on, true",
        "TRUE, true",
        "n, false",
        "NO, false",
        "off, false",
        "~, null",
        "'', null",
        "NULL, null",
        "12, 12",
        "010, 8",
        "0o17, 15",
        "0x1F, 31",
        "0b101, 5",
        "-7, -7",
        "1_000, 1000",
        "08, 8.0",
        "1.5, 1.5",
        "1e3, 1000.0",
        ".5, 0.5",
        "18446744073709551615, 18446744073709551615",
        "12:30, '\"12:30\"'",
        "2026-01-01, '\"2026-01-01\"'",
        "yEs, '\"yEs\"'",
        "'\"on\"', '\"on\"'",
        "!!str 12, '\"12\"'",
        "!!int \"3\", 3",
        "!!binary aGk=, '\"hi\"'",
        "0x, '\"0x\"'",
        "_1.5, '\"_1.5\"'",
        "1e999, '\"1e999\"'"
    })
    void plainScalarsMeanWhatThePublicSystemTakesThemFor(String written, String json) {
        var app = application(HEAD + "spec:\n  plugins:\n    p: " + written + "\n").value();

        assertThat(app.plugins().get("p")).hasToString(json);
    }

    @Test
    void aBooleanIsNoTextEvenWhenItLooksLikeOne() {
        assertThat(mistakes(() -> application(HEAD + "spec: {labels: {country: no}}")))
                .containsExactly(
                        "app.pipecd.yaml:3:26: spec.labels.country: no (expected: text; put it in quotes, YAML takes it for false)");
    }

    @Test
    void infinityIsNoNumber() {
        assertThat(mistakes(() -> application(HEAD + "spec: {plugins: {p: .inf}}")))
                .containsExactly(
                        "app.pipecd.yaml:3:21: spec.plugins.p: .inf (expected: a finite number)");
    }

    @Test
    void anUnknownTagIsWarnedOf() {
        assertThat(warnings(application(HEAD + "spec: {name: !vault x}")))
                .containsExactly(
                        "app.pipecd.yaml:3:14: spec.name: tag !vault (ignored: the value is text)");
    }

    @Test
    void keysThatTurnATerminalAroundAreShownHarmless() {
        assertThat(warnings(application(HEAD + "spec: {\"a\\u202Eb\\e[2J\": 1}")))
                .containsExactly(
                        "app.pipecd.yaml:3:8: spec.a\\u{202E}b\\u{1B}[2J: a\\u{202E}b\\u{1B}[2J (ignored: not a known key)");
    }

    @Test
    void aFloodOfMistakesIsCutOff() {
        assertThat(
                        mistakes(() ->
                                application(
                                        HEAD
                                                + "spec: {labels: {"
                                                + IntStream.range(0, 5000)
                                                        .mapToObj(i -> "k" + i + ": 1")
                                                        .collect(joining(", "))
                                                + "}}")))
                .hasSize(101)
                .last()
                .asString()
                .endsWith("more than 100 mistakes (expected: none)");
    }
}
