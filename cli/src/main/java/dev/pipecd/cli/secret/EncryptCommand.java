// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.secret;

import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.EncryptRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `pipectl encrypt`: the control plane seals with the agent's public key; only the agent can open.
@Command(
        name = "encrypt",
        customSynopsis = "pipectl encrypt --piped-id ID [FLAGS] <FILE",
        description = {
            "Encrypts a secret so that only one agent can read it, and prints what to put into the application's configuration.",
            "What is on standard input or in --input-file is taken as it is, with the end of its last line, up to 4 MiB."
        },
        sortOptions = false,
        optionListHeading = "%nFlags:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  printf %%s \"$PASSWORD\" | pipectl encrypt --piped-id ID ...",
            "  pipectl encrypt --piped-id ID --input-file key.pem --use-base64-encoding ..."
        })
public final class EncryptCommand implements Callable<Integer> {
    /// What a control plane takes in one message, ours as well as the public one.
    private static final int LARGEST = 4 << 20;

    private final Terminal terminal;

    @Option(
            names = "--piped-id",
            paramLabel = "ID",
            required = true,
            description = "The agent that looks after the application. Required.")
    String pipedId = "";

    @Option(
            names = "--input-file",
            paramLabel = "FILE",
            description = "The file with the secret, instead of standard input.")
    String file = "";

    @Option(
            names = "--use-base64-encoding",
            arity = "0..1",
            paramLabel = "true|false",
            fallbackValue = "true",
            description =
                    "Encodes in base64 before encrypting: what the agent then puts in place is base64, as Kubernetes secrets want it.")
    boolean base64;

    @Mixin ConnectionFlags connection = new ConnectionFlags();

    public EncryptCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        var request = fitting(request(read()));
        try (var api = connection.open(terminal)) {
            var answer = api.ask(stub -> stub.encrypt(request));
            terminal.result(answer.getCiphertext());
        }
        return 0;
    }

    private EncryptRequest request(byte[] secret) {
        var request = EncryptRequest.newBuilder().setPipedId(pipedId);
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(secret));
            return request.setPlaintext(text.toString()).setBase64Encoding(base64).build();
        } catch (CharacterCodingException e) {
            // The protocol carries text only. Encoded here, it is what the control plane would
            // make.
            if (base64)
                return request.setPlaintext(Base64.getEncoder().encodeToString(secret)).build();
            throw new Problem(
                    Code.SETTING_INVALID,
                    source() + ": bytes that are no text (expected: UTF-8)",
                    "Give --use-base64-encoding for what is not text.",
                    e);
        }
    }

    /// Base64 and the id of the agent take room too.
    private EncryptRequest fitting(EncryptRequest request) {
        if (request.getSerializedSize() > LARGEST) throw tooLarge();
        return request;
    }

    private Problem tooLarge() {
        return new Problem(
                Code.SETTING_INVALID,
                source()
                        + ": more than a control plane takes (expected: less than 4 MiB, 3 MiB of what is no text)",
                "Encrypt what is truly secret only.");
    }

    private byte[] read() {
        try (var from = file.isEmpty() ? terminal.in() : Files.newInputStream(Path.of(file))) {
            return read(from);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    source() + ": cannot be read (expected: a file with the secret)",
                    FileTrouble.advice(e),
                    e);
        }
    }

    private byte[] read(InputStream from) throws IOException {
        var read = from.readNBytes(LARGEST + 1);
        if (read.length == 0)
            throw new Problem(
                    Code.SETTING_INVALID,
                    source() + ": empty (expected: a secret)",
                    "Put the secret into it.");
        if (read.length > LARGEST) throw tooLarge();
        return read;
    }

    private String source() {
        return file.isEmpty() ? "standard input" : "--input-file: " + file;
    }
}
