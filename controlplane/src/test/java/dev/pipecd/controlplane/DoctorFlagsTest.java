// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.GoFlags;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a server would not start with, of the flags that no configuration tells.
@ResourceLock("logging") // its commands set it up anew
final class DoctorFlagsTest {
    private static final String PAIR =
            " (expected: a certificate and its key in PEM form)\n"
                    + "                      -> Check that both files exist, may be read and belong together.";

    @TempDir Path folder;

    @Test
    void tlsWithoutCertificateAndKeyIsFound() throws Exception {
        assertFailed(
                run("--tls"),
                "tls",
                "--cert-file, --key-file: not given (expected: both, because of --tls)");
    }

    @Test
    void aCertificateThatIsNotThereIsFound() throws Exception {
        var nowhere = folder.resolve("nowhere.pem");

        var ran = run("--tls", "--cert-file=" + nowhere, "--key-file=" + nowhere);

        assertFailed(ran, "tls", "--cert-file, --key-file: ");
        assertThat(ran.out()).contains("nowhere.pem").contains(PAIR);
    }

    @Test
    void aKeyOfAnotherCertificateIsFound() throws Exception {
        var one = TestCertificate.in(Files.createDirectory(folder.resolve("one")));
        var other = TestCertificate.in(Files.createDirectory(folder.resolve("other")));

        var ran = run("--tls", "--cert-file=" + one.certificate(), "--key-file=" + other.key());

        assertFailed(ran, "tls", "--cert-file, --key-file: ");
        assertThat(ran.out()).contains(PAIR);
    }

    @Test
    void aCertificateWithItsKeyIsFine() throws Exception {
        var tls = TestCertificate.in(folder);

        var ran = run("--tls", "--cert-file=" + tls.certificate(), "--key-file=" + tls.key());

        assertThat(ran.out())
                .contains(
                        "tls          ok       %s and %s fit"
                                .formatted(tls.certificate(), tls.key()))
                .endsWith("Ready: nothing is wrong.\n");
        assertThat(ran.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://a b", "releases", "ftp://example.com/releases", "https://"})
    void anAddressOfReleasesThatIsNoneIsFound(String address) throws Exception {
        assertFailed(
                run("--releases-url=" + address),
                "releases",
                "--releases-url: %s (expected: a URL, or nothing)".formatted(address));
    }

    @Test
    void noAddressOfReleasesIsFine() throws Exception {
        assertThat(run("--releases-url=").out()).contains("releases     ok       nobody is asked");
    }

    /// Each of them could be opened alone.
    @Test
    void aPortThatIsGivenTwiceIsFound() throws Exception {
        assertFailed(
                run("--piped-api-port=39080", "--api-port=39080"),
                "ports",
                "--piped-api-port: 39080, --api-port: 39080 (expected: each number once)");
    }

    private static void assertFailed(Ran ran, String check, String found) {
        assertThat(ran.out().lines())
                .anySatisfy(line ->
                        assertThat(line).matches("(?s)" + check + " +FAILED .*").contains(found));
        assertThat(ran.code()).isEqualTo(1);
    }

    private Ran run(String... flags) throws Exception {
        var file =
                Files.writeString(
                        folder.resolve("config.yaml"),
                        "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec: {}\n");
        var args =
                new ArrayList<>(
                        List.of(
                                "doctor",
                                "--log-level=error",
                                "--config-file=" + file,
                                "--data-dir=" + folder.resolve("data"),
                                "--host=127.0.0.1"));
        for (var port :
                List.of("gateway", "piped-api", "web-api", "http", "api", "admin", "envoy-authz"))
            args.add("--" + port + "-port=0");
        args.addAll(List.of(flags)); // the last of a flag counts
        var out = new StringWriter();
        var line = Pipecd.commandLine().setOut(new PrintWriter(out, true));
        return new Ran(GoFlags.run(line, args.toArray(String[]::new)), out.toString());
    }

    private record Ran(int code, String out) {}
}
