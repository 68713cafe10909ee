// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Supplier;

/// Bytes under the name of their digest. A file is read as it is sent: plugins are large.
record Blob(String digest, long size, Supplier<InputStream> content) {
    static Blob of(byte[] bytes) {
        return measured(() -> new ByteArrayInputStream(bytes));
    }

    static Blob of(Path file) {
        return measured(() -> opened(file));
    }

    private static InputStream opened(Path file) {
        try {
            return Files.newInputStream(file);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--files: %s (expected: a file that can be read)".formatted(file),
                    FileTrouble.advice(e),
                    e);
        }
    }

    private static Blob measured(Supplier<InputStream> content) {
        try (var digested =
                new DigestInputStream(content.get(), MessageDigest.getInstance("SHA-256"))) {
            var size = digested.transferTo(OutputStream.nullOutputStream());
            var digest = HexFormat.of().formatHex(digested.getMessageDigest().digest());
            return new Blob("sha256:" + digest, size, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime knows SHA-256", e);
        }
    }
}
