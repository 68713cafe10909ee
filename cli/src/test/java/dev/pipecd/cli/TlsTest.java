// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
    @TempDir static Path folder;

    private static LoopbackServer server;
    private static Path certificate;

    @BeforeAll
    static void start() throws Exception {
        var store = folder.resolve("store.p12");
        keytool(
                store,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-validity",
                "2");
        certificate = folder.resolve("server.pem");
        keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
        var api =
                RecordingApiService.publicOne()
                        .answer(
                                ListApplicationsRequest.class,
                                ListApplicationsResponse.getDefaultInstance());
        server = LoopbackServer.tls(api, identity(store));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aCertificateFileIsTrusted() {
        var run = list("--cert-file", certificate.toString());

        assertThat(run).isEqualTo(new Run(0, "", "No application matches.\n"));
        assertThat(server.credentials()).contains("API-KEY k1.secret");
    }

    @Test
    void aCertificateNobodyTrustsIsRefused() {
        assertThat(list())
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: --address: %s (expected: a certificate that is trusted). \
                                Give the certificate of the server's authority with --cert-file, and check that it names this host.
                                """
                                        .formatted(server.address())));
    }

    @Test
    void plaintextToAServerThatSpeaksTlsSaysSo() {
        var run = list("--insecure");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).endsWith("without --insecure TLS is used.\n");
    }

    @Test
    void tlsToAServerThatSpeaksPlaintextSaysSo() {
        try (var plain = LoopbackServer.plaintext(RecordingApiService.publicOne())) {
            var run =
                    pipectl(
                            "application",
                            "list",
                            "--api-key",
                            "k1.secret",
                            "--address",
                            plain.address());

            assertThat(run)
                    .isEqualTo(
                            new Run(
                                    1,
                                    "",
                                    """
                                    Error: --address: %s (expected: a control plane that answers; TLS could not be agreed on). \
                                    Check address and port, that the server runs, and that it speaks TLS there; --insecure uses plaintext.
                                    """
                                            .formatted(plain.address())));
            assertThat(plain.credentials()).isEmpty();
        }
    }

    @Test
    void aFileWithoutCertificatesIsRefused() throws IOException {
        var file = Files.writeString(folder.resolve("empty.pem"), "nothing");

        assertThat(list("--cert-file", file.toString()))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: --cert-file: %s (expected: a file of PEM certificates). \
                                Give the certificate of the server's authority in PEM form.
                                """
                                        .formatted(file)));
    }

    private static Run list(String... flags) {
        var args =
                Stream.of(
                        "application",
                        "list",
                        "--api-key",
                        "k1.secret",
                        "--address",
                        server.address());
        return pipectl(Stream.concat(args, Stream.of(flags)).toArray(String[]::new));
    }

    private static void keytool(Path store, String... args)
            throws IOException, InterruptedException {
        var command =
                Stream.of(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString()),
                        List.of(args),
                        List.of(
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                "changeit",
                                "-alias",
                                "server"));
        var process =
                new ProcessBuilder(command.flatMap(List::stream).toList())
                        .redirectErrorStream(true)
                        .start();
        var told =
                new String(
                        process.getInputStream().readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(told).isZero();
    }

    private static SslContext identity(Path store) throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, "changeit".toCharArray());
        return GrpcSslContexts.configure(SslContextBuilder.forServer(factory), SslProvider.JDK)
                .build();
    }
}
