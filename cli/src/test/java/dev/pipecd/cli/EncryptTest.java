// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.EncryptRequest;
import dev.pipecd.wire.api.EncryptResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Against a control plane that seals with an agent's public key, and an agent that opens.
class EncryptTest {
    /// Made once: keys take long.
    private static final SealedSecrets AGENT = SealedSecrets.create();

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @BeforeEach
    void seal() {
        Function<EncryptRequest, Object> sealed =
                request ->
                        EncryptResponse.newBuilder()
                                .setCiphertext(
                                        AGENT.seal(
                                                request.getBase64Encoding()
                                                        ? Base64.getEncoder()
                                                                .encodeToString(
                                                                        request.getPlaintextBytes()
                                                                                .toByteArray())
                                                        : request.getPlaintext()))
                                .build();
        api.answer(EncryptRequest.class, sealed);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void whatStandardInputHoldsIsSealedAsItIs() {
        var run =
                new Surroundings()
                        .input("größtes Geheimnis\n")
                        .pipectl(server, "encrypt", "--piped-id", "p1");

        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(AGENT.open(run.out().strip())).isEqualTo("größtes Geheimnis\n");
        assertThat(api.requests(EncryptRequest.class))
                .extracting(EncryptRequest::getPipedId)
                .containsExactly("p1");
    }

    @Test
    void aFileIsSealedToo() throws IOException {
        var file = Files.writeString(folder.resolve("secret"), "s");

        var run = pipectl(server, "encrypt", "--piped-id=p1", "--input-file", file.toString());

        assertThat(AGENT.open(run.out().strip())).isEqualTo("s");
    }

    @Test
    void base64IsLeftToTheControlPlane() {
        var run =
                new Surroundings()
                        .input("secret")
                        .pipectl(server, "encrypt", "--piped-id=p1", "--use-base64-encoding");

        assertThat(AGENT.open(run.out().strip())).isEqualTo("c2VjcmV0");
        assertThat(api.requests(EncryptRequest.class).getFirst().getBase64Encoding()).isTrue();
    }

    @Test
    void bytesThatAreNoTextTravelAsBase64() {
        byte[] key = {(byte) 0xff, 0, (byte) 0xfe};

        var run =
                new Surroundings()
                        .input(key)
                        .pipectl(server, "encrypt", "--piped-id=p1", "--use-base64-encoding");

        assertThat(Base64.getDecoder().decode(AGENT.open(run.out().strip()))).isEqualTo(key);
    }

    @Test
    void bytesThatAreNoTextAreRefusedOtherwise() {
        var run =
                new Surroundings()
                        .input(new byte[] {(byte) 0xff})
                        .pipectl(server, "encrypt", "--piped-id=p1");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: standard input: bytes that are no text (expected: UTF-8). Give --use-base64-encoding for what is not text.\n"));
    }

    @Test
    void nothingIsNoSecret() {
        assertThat(pipectl(server, "encrypt", "--piped-id=p1"))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: standard input: empty (expected: a secret). Put the secret into it.\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"4194305 a", "4194304 a", "3145728 \u00ff"})
    void whatIsTooLargeForAControlPlaneIsNotSent(String much) throws IOException {
        var content = new byte[Integer.parseInt(much.split(" ")[0])];
        Arrays.fill(content, (byte) much.charAt(much.length() - 1));
        var file = Files.write(folder.resolve("large"), content);

        var run =
                pipectl(
                        server,
                        "encrypt",
                        "--piped-id=p1",
                        "--use-base64-encoding",
                        "--input-file",
                        file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --input-file: %s: more than a control plane takes (expected: less than 4 MiB, 3 MiB of what is no text). Encrypt what is truly secret only.\n"
                                        .formatted(file)));
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void theSecretItselfIsNeverPrinted() {
        api.answer(
                EncryptRequest.class,
                io.grpc.Status.INVALID_ARGUMENT.withDescription("piped p1 has no public key"));

        var run =
                new Surroundings()
                        .input("canary-secret")
                        .pipectl(server, "encrypt", "--piped-id=p1");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out() + run.err()).doesNotContain("canary-secret");
    }

    @Test
    void aMissingFileIsTold() {
        var run = pipectl(server, "encrypt", "--piped-id=p1", "--input-file", "/no/such/file");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith(
                        "Error: --input-file: /no/such/file: cannot be read (expected: a file with the secret). ");
    }
}
