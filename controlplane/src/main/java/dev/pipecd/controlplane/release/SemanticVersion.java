// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/// A version such as `v0.57.1`; what is not one of those cannot be compared.
public record SemanticVersion(int major, int minor, int patch)
        implements Comparable<SemanticVersion> {
    private static final Pattern FORM = Pattern.compile("v?(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6})");
    private static final Comparator<SemanticVersion> ORDER =
            Comparator.comparingInt(SemanticVersion::major)
                    .thenComparingInt(SemanticVersion::minor)
                    .thenComparingInt(SemanticVersion::patch);

    static Optional<SemanticVersion> parse(String text) {
        var match = FORM.matcher(text);
        if (!match.matches()) return Optional.empty();
        return Optional.of(
                new SemanticVersion(
                        Integer.parseInt(match.group(1)),
                        Integer.parseInt(match.group(2)),
                        Integer.parseInt(match.group(3))));
    }

    @Override
    public int compareTo(SemanticVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return "v%d.%d.%d".formatted(major, minor, patch);
    }
}
