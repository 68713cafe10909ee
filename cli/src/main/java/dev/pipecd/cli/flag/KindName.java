// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/// Reads the kind of an application, in any case, into its public name.
public final class KindName implements Iterable<String> {
    private static final List<String> ALL =
            List.of("KUBERNETES", "TERRAFORM", "LAMBDA", "CLOUDRUN", "ECS");

    /// Empty where none is given.
    public static String of(String text) {
        var name = text.strip().toUpperCase(Locale.ROOT);
        if (name.isEmpty() || ALL.contains(name)) return name;
        throw new CalledWrongly(
                "--app-kind: %s (expected: one of %s)".formatted(text, String.join(", ", ALL)));
    }

    @Override
    public Iterator<String> iterator() {
        return ALL.iterator();
    }
}
