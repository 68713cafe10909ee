// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The name of a stored file. Each part is checked, so that no id from outside can lead out of the
/// store.
public record FilePath(List<String> parts) {
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    public FilePath {
        parts = List.copyOf(parts);
        for (var part : parts)
            if (!PART.matcher(part).matches())
                throw new Problem(
                        Problem.Code.REQUEST_INVALID,
                        "id: \"%s\" (expected: letters, digits, '.', '_' or '-', at most 128)"
                                .formatted(shown(part)),
                        "Use the id as it was given out.");
    }

    public static FilePath of(String... parts) {
        return new FilePath(List.of(parts));
    }

    /// A name found in a store; empty when it cannot be one of ours.
    static Optional<FilePath> parsed(String text) {
        var parts = List.of(text.split("/", -1));
        return parts.stream().allMatch(p -> PART.matcher(p).matches())
                ? Optional.of(new FilePath(parts))
                : Optional.empty();
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
