// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TemplateTest {
    private static final Template.Values VALUES =
            new Template.Values()
                    .with(
                            "encryptedSecrets",
                            Map.of(
                                    "password", bytes("s3cret"),
                                    "encoded", bytes("czNjcmV0"),
                                    "lines", bytes("a\nb\n"),
                                    "nothing", bytes(""),
                                    "blank", bytes(" \t x \n"),
                                    "größe", bytes("7")))
                    .with("attachment", Map.of("raw", new byte[] {0, (byte) 0xff, 'x'}))
                    .with("", Map.of("Value", bytes("v2")));

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "{{ .encryptedSecrets.password }}~s3cret",
                "{{.encryptedSecrets.password}}~s3cret",
                "{{ .Value }}~v2",
                "{{ .encryptedSecrets.größe }}~7",
                "{{ .encryptedSecrets.password | b64enc }}~czNjcmV0",
                "{{ b64enc .encryptedSecrets.password }}~czNjcmV0",
                "{{ .encryptedSecrets.encoded | b64dec }}~s3cret",
                "{{ .encryptedSecrets.password | quote }}~\"s3cret\"",
                "{{ quote .encryptedSecrets.password .Value }}~\"s3cret\" \"v2\"",
                "{{ .encryptedSecrets.nothing | default \"none\" | quote }}~\"none\"",
                "{{ default `no\"ne` .encryptedSecrets.nothing }}~no\"ne",
                "{{ default \"none\" .encryptedSecrets.password }}~s3cret",
                "{{ default 5 .encryptedSecrets.nothing }}~5",
                "{{ .encryptedSecrets.blank | trim }}~x",
                "{{ .encryptedSecrets.password | b64enc | b64dec | b64enc }}~czNjcmV0",
                "{{ .attachment.raw | b64enc }}~AP94",
                "a {{- .Value -}} b~av2b",
                "a {{/* why */}}b {{- /* so */ -}} c~a bc",
                "{{ \"\\x41\\u00e9\\t|}}\" | trim }}~Aé\t|}}",
                "no place, only } and { and }}~no place, only } and { and }}",
            })
    void knowsFieldsPipesAndSomeFunctions(String template, String expected) {
        assertThat(rendered(template)).isEqualTo(expected);
    }

    @Test
    void indentsEveryLine() {
        assertThat(rendered("x:\n{{ .encryptedSecrets.lines | indent 2 }}"))
                .isEqualTo("x:\n  a\n  b\n  ");
    }

    @Test
    void quotesAsGoDoes() {
        var odd = "tab\tnl\n\"q\\ é \u200b \0\u007f ";
        var bytes = new java.io.ByteArrayOutputStream();
        bytes.writeBytes(bytes(odd));
        bytes.write(0xff);
        bytes.writeBytes(bytes(" \uD83D\uDE00 \u00a0"));
        var values = new Template.Values().with("", Map.of("odd", bytes.toByteArray()));

        assertThat(Template.parse("f", bytes("{{ quote .odd }}")).render(values))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(
                        "\"tab\\tnl\\n\\\"q\\\\ é \\u200b \\x00\\x7f \\xff \uD83D\uDE00 \\u00a0\"");
    }

    @Test
    void bytesThatAreNoTextComeOutAsTheyWentIn() {
        var file = new byte[] {(byte) 0xfe, '{', '{', '.', 'V', 'a', 'l', 'u', 'e', '}', '}', 0};

        assertThat(Template.parse("f", file).render(VALUES)).containsExactly(0xfe, 'v', '2', 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ if .Value }}x{{ end }}",
                "{{ range .encryptedSecrets }}{{ end }}",
                "{{ template \"x\" }}",
                "{{ .Value | upper }}",
                "{{ printf \"%s\" .Value }}",
                "{{ $x := .Value }}",
                "{{ $.Value }}",
                "{{ (.Value) }}",
                "{{ . }}",
                "{{ .encryptedSecrets.my-key }}",
                "{{ .Value.. }}",
                "{{ 1.5 | quote }}",
                "{{ 'a' | quote }}",
                "{{ .Value .Value }}",
                "{{ .Value | .Value }}",
                "{{ .Value | }}",
                "{{ }}",
                "{{ b64enc }}",
                "{{ indent .Value }}",
                "{{ .Value",
                "{{ \"open }}",
                "{{ \"\\q\" | quote }}",
                "{{ `open }}",
                "{{/* open }}",
                "{{ .Value | indent -1 }}",
                "{{ .Value | indent \"2\" }}",
                "{{ 3 | b64enc }}",
                "{{ .Value | b64dec | b64dec }}",
                "{{ .encryptedSecrets }}",
            })
    void refusesEverythingElseWithItsLine(String template) {
        assertThatThrownBy(() -> rendered("one\ntwo\n" + template))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("deploy.yaml: line 3: ");
    }

    @Test
    void aFieldThatIsNotThereIsNoEmptyText() {
        assertThatThrownBy(() -> rendered("x: {{ .encryptedSecrets.passwort | default \"x\" }}"))
                .hasMessageStartingWith(
                        "deploy.yaml: line 1: .encryptedSecrets.passwort (expected: one of .Value,"
                                + " .attachment.raw, .encryptedSecrets.blank,");
    }

    @Test
    void tellsWhichFunctionsThereAre() {
        assertThatThrownBy(() -> rendered("\n{{ .Value | nindent 4 }}"))
                .hasMessage(
                        "deploy.yaml: line 2: nindent (expected: one of b64dec, b64enc, default,"
                                + " indent, quote, trim)");
    }

    /// With lines counted from the beginning each time this takes hours.
    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    void aLargeFileWithManyPlacesIsReadInOneGo() {
        var line = "x".repeat(90) + "{{ .Value }}\n";

        assertThatThrownBy(() -> rendered(line.repeat(90_000) + "{{ upper }}"))
                .hasMessageStartingWith("deploy.yaml: line 90001: upper (expected: one of ");
    }

    @Test
    void aFileOfNothingButPlacesIsRefused() {
        assertThatThrownBy(() -> rendered("{{\"a\"}}".repeat(100_001)))
                .hasMessage("deploy.yaml: line 1: one {{ more (expected: at most 100000)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ .big }}{{ .big }}{{ .big }}{{ .big }}",
                "{{ .big | quote | quote | quote | quote }}",
                "{{ .big | indent 999 }}",
                "{{ .big | quote | quote }}",
                "{{ quote .big .big .big }}",
                "{{ .big | b64enc | b64enc | b64enc | b64enc | b64enc }}"
            })
    void aShortFileThatAsksForTooMuchIsRefused(String template) {
        var values = new Template.Values().with("", Map.of("big", bytes("\n".repeat(4 << 20))));

        assertThatThrownBy(() -> Template.parse("f", bytes(template)).render(values))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("f: line 1: ")
                .hasMessageEndingWith(" (expected: at most 8388608)");
    }

    private static String rendered(String template) {
        return new String(
                Template.parse("deploy.yaml", bytes(template)).render(VALUES),
                StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
