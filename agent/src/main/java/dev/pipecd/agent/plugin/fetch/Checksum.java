// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The SHA-256 of some content, by which it is known wherever it came from.
public record Checksum(String hex) {
    private static final String PREFIX = "sha256:";

    public Checksum {
        if (!hex.matches("[0-9a-f]{64}"))
            throw new IllegalArgumentException(
                    "checksum: %s (expected: 64 hexadecimal digits)".formatted(hex));
    }

    /// As people write it.
    public static Checksum parse(String text) {
        return new Checksum(text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text);
    }

    static Checksum of(byte[] content) {
        return new Checksum(HexFormat.of().formatHex(sha256().digest(content)));
    }

    static Checksum of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    public static Checksum of(Path file) throws IOException {
        try (var content = new DigestInputStream(Files.newInputStream(file), sha256())) {
            content.transferTo(java.io.OutputStream.nullOutputStream());
            return new Checksum(HexFormat.of().formatHex(content.getMessageDigest().digest()));
        }
    }

    static DigestInputStream counting(InputStream content) {
        return new DigestInputStream(content, sha256());
    }

    static Checksum of(DigestInputStream read) {
        return new Checksum(HexFormat.of().formatHex(read.getMessageDigest().digest()));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Enough for people to tell two apart.
    public String brief() {
        return PREFIX + hex.substring(0, 12);
    }

    @Override
    public String toString() {
        return PREFIX + hex;
    }
}
