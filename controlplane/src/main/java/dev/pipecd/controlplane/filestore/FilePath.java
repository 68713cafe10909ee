// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.domain.Problem;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The name of a stored file. Each part is checked, so that no id from outside can lead out of the
/// store; else people choose ids as they like, as with the public server.
public record FilePath(List<String> parts) {
    private static final Pattern SLASH_OR_CONTROL = Pattern.compile("[/\\\\\\p{Cc}]");

    private static final String PLAIN =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";

    /// Of a part, in UTF-8: no disk takes longer names.
    private static final int MOST_BYTES = 255;

    public FilePath {
        parts = List.copyOf(parts);
        for (var part : parts)
            if (!fits(part))
                throw new Problem(
                        Problem.Code.REQUEST_INVALID,
                        "id: \"%s\" (expected: 1 to %d bytes without slashes and control characters)"
                                .formatted(shown(part), MOST_BYTES),
                        "Use the id as it was given out.");
    }

    public static FilePath of(String... parts) {
        return new FilePath(List.of(parts));
    }

    /// What `plain` made of a path.
    public static FilePath ofPlain(String name) {
        var text = new ByteArrayOutputStream();
        for (var i = 0; i < name.length(); i++)
            if (name.charAt(i) == '%') {
                text.write(HexFormat.fromHexDigits(name, i + 1, i + 3));
                i += 2;
            } else {
                text.write(name.charAt(i));
            }
        return of(text.toString(UTF_8).split("/", -1));
    }

    /// In ASCII, for those who take no more: what is neither a letter, a digit nor one of `._-/` is
    /// `%` and two digits.
    public String plain() {
        var name = new StringBuilder();
        for (var b : toString().getBytes(UTF_8))
            if (PLAIN.indexOf(b) >= 0) name.append((char) b);
            else name.append('%').append(HexFormat.of().toHexDigits(b));
        return name.toString();
    }

    /// A name found in a store; empty when it cannot be one of ours.
    static Optional<FilePath> parsed(String text) {
        var parts = List.of(text.split("/", -1));
        return parts.stream().allMatch(FilePath::fits)
                ? Optional.of(new FilePath(parts))
                : Optional.empty();
    }

    private static boolean fits(String part) {
        return !part.isEmpty()
                && !part.equals(".")
                && !part.equals("..")
                && part.getBytes(UTF_8).length <= MOST_BYTES
                && !SLASH_OR_CONTROL.matcher(part).find();
    }

    private static String shown(String part) {
        var printable = part.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= 60 ? printable : printable.substring(0, 60) + "…";
    }

    @Override
    public String toString() {
        return String.join("/", parts);
    }
}
