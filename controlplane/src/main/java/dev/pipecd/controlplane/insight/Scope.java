// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What sums are kept of: a project, or what carries a label in it.
///
/// @param digest short whatever people write into a label
public record Scope(String digest) {
    private static final int HALF = 16;

    /// Those a delivery belongs to.
    public static List<Scope> of(String project, Map<String, String> labels) {
        var scopes = new ArrayList<Scope>();
        scopes.add(of(List.of(project)));
        labels.forEach((name, value) -> scopes.add(of(List.of(project, name, value))));
        return scopes;
    }

    /// The one whose sums answer it. What carries two labels, and one application, is little beside
    /// a project: for those there are no sums.
    public static Optional<Scope> of(Question question) {
        if (!question.application().isEmpty() || question.labels().size() > 1)
            return Optional.empty();
        return Optional.of(of(question.project().value(), question.labels()).getLast());
    }

    private static Scope of(List<String> parts) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            for (var part : parts) {
                var bytes = part.getBytes(StandardCharsets.UTF_8);
                sha256.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
                sha256.update(bytes);
            }
            return new Scope(HexFormat.of().formatHex(sha256.digest(), 0, HALF));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
