// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.piped;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.PipedConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The `plugins` of a Piped document and what stands around them.
class PluginsReaderTest {
    private static final String SMALL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: localhost:8080
            """;
    private static final String SUM = "sha256:" + "0123456789abcdef".repeat(4);

    @Test
    void aPluginHasANameThatCanBeAFileAndAUrlThatCanBeFetched() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: ../x}, {name: w, url: 'ftp://w'}, {name: z, port: 70000}, {url: 'file:///a'}]\n")))
                .containsExactly(
                        "piped.yaml:8:20: spec.plugins[0].name: \"../x\" (expected: a name without slashes, control characters and leading dot, of at most 200 bytes)",
                        "piped.yaml:8:42: spec.plugins[1].url: \"ftp://w\" (expected: a path, or a URL with one of builtin, file, http, https, oci)",
                        "piped.yaml:8:70: spec.plugins[2].port: 70000 (expected: a whole number from 0 to 65535)",
                        "piped.yaml:8:78: spec.plugins[3].name: missing (expected: text)");
    }

    @Test
    void aPluginMayBeCalledWhateverAFileMay() {
        assertThat(
                        piped(
                                        SMALL
                                                + "  plugins: [{name: wait approval}, {name: kubernetes@next}, {name: _wait}, {name: déploy}]\n")
                                .value()
                                .plugins())
                .extracting(PipedConfig.Plugin::name)
                .containsExactly("wait approval", "kubernetes@next", "_wait", "déploy");
    }

    @Test
    void aNameNoFileCanHaveIsRefused() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: \"a\\0b\"}, {name: 'a\\b'}, {name: %s}]\n"
                                                        .formatted("ä".repeat(101)))))
                .hasSize(3)
                .allMatch(mistake -> mistake.endsWith("of at most 200 bytes)"));
    }

    @Test
    void aPasswordWithinAnAddressIsNotTold() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: a, url: 'oci://bot:s3cret@reg.example/x:v1'},"
                                                + " {name: b, url: 'http://bot:s3/c@ret@host/x'}, {name: c, url: 'ftp://bot:s3cret@h/x'},"
                                                + " {name: d, url: 'bot:s3cret@h/x'}, {name: e, url: 'oci://REG/X@sha256:0'}]\n")))
                .extracting(mistake -> mistake.replaceFirst("^\\S+ ", ""))
                .containsExactly(
                        "spec.plugins[0].url: \"oci://******@reg.example/x:v1\" (expected: oci://HOST/PATH[:TAG][@sha256:DIGEST])",
                        "spec.plugins[1].url: \"http://******@host/x\" (expected: https, or a checksum beside it: anybody on the way can change the plugin)",
                        "spec.plugins[2].url: \"ftp://******@h/x\" (expected: a path, or a URL with one of builtin, file, http, https, oci)",
                        "spec.plugins[3].url: \"******@h/x\" (expected: a path, or a URL with one of builtin, file, http, https, oci)",
                        "spec.plugins[4].url: \"oci://REG/X@sha256:0\" (expected: oci://HOST/PATH[:TAG][@sha256:DIGEST])");
    }

    @Test
    void anUnprotectedAddressNeedsAChecksum() {
        assertThat(mistakes(() -> piped(SMALL + "  plugins: [{name: x, url: 'http://x/y'}]\n")))
                .containsExactly(
                        "piped.yaml:8:28: spec.plugins[0].url: \"http://x/y\" (expected: https, or a checksum beside it: anybody on the way can change the plugin)");
        assertThat(
                        first("{name: x, url: 'http://x/y', checksum: '%s'}".formatted(SUM))
                                .origin()
                                .checksum())
                .isEqualTo(SUM);
    }

    @Test
    void addressesAndChecksumsAreLookedAtBeforeAnythingIsFetched() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: a, url: 'https://u:p@x/y'}, {name: b, url: 'oci://X'}, {name: c, checksum: 12ab},"
                                                + " {name: d, password: x}]\n")))
                .extracting(mistake -> mistake.replaceFirst("^\\S+ ", ""))
                .containsExactly(
                        "spec.plugins[0].url: not an address (expected: https://HOST/PATH, a user and a password as username and password)",
                        "spec.plugins[1].url: \"oci://X\" (expected: oci://HOST/PATH[:TAG][@sha256:DIGEST])",
                        "spec.plugins[2].checksum: \"12ab\" (expected: sha256: and 64 hexadecimal digits)",
                        "spec.plugins[3].username: missing (expected: text, as there is a password)");
    }

    @Test
    void anAddressThatCannotBeReadIsToldWithoutItsSignature() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: a, url: 'https://store.example/my plugin?sig=s3cret'},"
                                                + " {name: b, url: 'https://store.example/{os}/x'}, {name: c, url: 'https://plugin_store:8080/x'},"
                                                + " {name: d, url: 'https://store.example:80800/x'}]\n")))
                .extracting(mistake -> mistake.replaceFirst("^\\S+ ", ""))
                .containsExactly(
                        "spec.plugins[0].url: not an address: Illegal character in path at character 25 (expected: blanks, brackets and the like as %20, %7B, …)",
                        "spec.plugins[1].url: not an address: Illegal character in path at character 23 (expected: blanks, brackets and the like as %20, %7B, …)",
                        "spec.plugins[2].url: not an address: its host or port (expected: letters, digits, dots and dashes, and a port up to 65535)",
                        "spec.plugins[3].url: not an address: its host or port (expected: letters, digits, dots and dashes, and a port up to 65535)");
        assertThat(first("{name: a, url: 'https://[::1]:8080/my%20plugin?sig=a+b'}").url())
                .isEqualTo("https://[::1]:8080/my%20plugin?sig=a+b");
    }

    @Test
    void howItIsFetchedAndRunIsRead() {
        var plugin =
                first(
                        "{name: x, url: 'oci://ghcr.io/team/x:v1@%s', username: ann, password: secret, downloadTimeout: 10s, maxRunningStages: 3}"
                                .formatted(SUM));

        assertThat(plugin.origin().username()).isEqualTo("ann");
        assertThat(plugin.origin().password().reveal()).isEqualTo("secret");
        assertThat(plugin.origin().timeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(plugin.running()).isEqualTo(new PipedConfig.Running(3, false));
        assertThat(first("{name: x}").origin().timeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(first("{name: x, isolate: true}").running())
                .isEqualTo(new PipedConfig.Running(500, true));
    }

    @Test
    void whatMeansNothingForItIsWarnedOf() {
        var warnings =
                piped(
                                SMALL
                                        + "  plugins: [{name: wait, checksum: '%s', downloadTimeout: 1m}, {name: x, url: /x, isolate: true}, {name: z, url: /z, isolate: false}]\n"
                                                .formatted(SUM))
                        .warnings();

        assertThat(warnings)
                .extracting(warning -> warning.toString().replaceFirst("^\\S+ ", ""))
                .containsExactly(
                        "spec.plugins[0].checksum: beside builtin:wait (ignored: it is not fetched)",
                        "spec.plugins[0].downloadTimeout: beside builtin:wait (ignored: it is not fetched)",
                        "spec.plugins[1].isolate: true (ignored: only built-in plugins share a process)");
    }

    @Test
    void thePasswordIsNotShown() {
        assertThat(
                        piped(
                                        SMALL
                                                + "  plugins: [{name: x, url: 'oci://ghcr.io/x', username: ann, password: secret}]\n")
                                .masked())
                .contains("username: ann")
                .doesNotContain("secret\n");
    }

    @Test
    void theSignatureOfAnAddressIsUsedAndNotShown() {
        var url = "https://x/y?sig=s3cret";
        var read = piped(SMALL + "  plugins: [{name: x, url: '%s'}]\n".formatted(url));

        var plugin = read.value().plugin("x").orElseThrow();
        assertThat(plugin.url()).isEqualTo(url);
        assertThat(read.masked()).contains("url: https://x/y\n").doesNotContain("s3cret");
        assertThat(plugin).asString().contains("url=https://x/y,").doesNotContain("s3cret");
        assertThat(mistakes(() -> first("{name: x, url: 'http://x/y?sig=s3cret'}")))
                .hasSize(1)
                .allSatisfy(mistake -> assertThat(mistake).contains("\"http://x/y\""));
    }

    @Test
    void aPathNeedNotBeginWithADot() {
        assertThat(first("{name: x, url: bin/kubernetes}").url()).isEqualTo("bin/kubernetes");
        assertThat(mistakes(() -> first("{name: x, url: kubernetes}")))
                .extracting(mistake -> mistake.replaceFirst("^\\S+ ", ""))
                .containsExactly(
                        "spec.plugins[0].url: \"kubernetes\" (expected: a path, or a URL with one of builtin, file, http, https, oci)");
    }

    @Test
    void theFirstDocumentsFormIsReadToo() {
        var config =
                piped(
                                SMALL
                                        + """
                                          plugin:
                                            - name: k8s_plugin
                                              port: 8081
                                            - name: other
                                              sourceURL: /opt/plugins/other
                                        """)
                        .value();

        assertThat(config.plugin("k8s_plugin").orElseThrow().builtin()).hasValue("kubernetes");
        assertThat(config.plugin("other").orElseThrow().url()).isEqualTo("/opt/plugins/other");
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + "  plugins: [{name: a, url: 'builtin:a', sourceURL: /b}]\n  plugin: [{name: b}]\n")))
                .extracting(mistake -> mistake.replaceFirst("^\\S+ ", ""))
                .contains("spec.plugin: beside spec.plugins (expected: only one of the two)");
    }

    @Test
    void aBuiltInPluginMayHaveAnotherName() {
        assertThat(first("{name: two, url: 'builtin:script'}").builtin()).hasValue("script");
        assertThat(first("{name: wait_approval}").builtin()).hasValue("waitapproval");
    }

    @Test
    void aBuiltInPluginIsUnderstoodByItsOtherSpellings() {
        assertThat(first("{name: a, url: 'builtin:wait_approval'}").builtin())
                .hasValue("waitapproval");
        assertThat(first("{name: a, url: 'builtin:script-run'}").builtin()).hasValue("scriptrun");
        assertThat(first("{name: wait-approval}").builtin()).hasValue("waitapproval");
        assertThat(first("{name: a, url: 'builtin:my-own'}").builtin()).hasValue("my-own");
    }

    @Test
    void providersJoinTheBuiltInOfTheirPlatformUnderWhateverSpelling() {
        var plugins =
                piped(
                                SMALL
                                        + """
                                          plugins: [{name: prod, url: 'builtin:k8s_plugin'}]
                                          platformProviders: [{name: east, type: KUBERNETES}]
                                        """)
                        .value()
                        .plugins();

        assertThat(plugins).extracting(PipedConfig.Plugin::name).doesNotContain("kubernetes");
        assertThat(plugins.getFirst().hasTarget("east")).isTrue();
    }

    @Test
    void toolsAndTheLimitOfAllAreRead() {
        var additions =
                piped(
                                SMALL
                                        + "  maxRunningStages: 7\n  tools: {directory: /opt/tools, offline: true, checksums: {helm-3: '%s'}}\n"
                                                .formatted(SUM))
                        .value()
                        .additions();

        assertThat(additions.maxRunningStages()).isEqualTo(7);
        assertThat(additions.tools())
                .isEqualTo(new PipedConfig.Tools("/opt/tools", true, Map.of("helm-3", SUM)));
        assertThat(mistakes(() -> piped(SMALL + "  tools: {checksums: {helm-3: abc}}\n")))
                .containsExactly(
                        "piped.yaml:8:31: spec.tools.checksums.helm-3: \"abc\" (expected: sha256: and 64 hexadecimal digits)");
    }

    private static PipedConfig.Plugin first(String entry) {
        return piped(SMALL + "  plugins: [" + entry + "]\n").value().plugins().getFirst();
    }
}
