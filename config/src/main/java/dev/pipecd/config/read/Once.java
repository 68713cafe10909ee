// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import java.util.HashSet;
import java.util.Set;

/// Refuses a name that was there before.
final class Once {
    private final String what;
    private final Set<String> names = new HashSet<>();

    Once(String what) {
        this.what = what;
    }

    /// One that was written elsewhere.
    void note(String name) {
        names.add(name);
    }

    void check(Field field, String name) {
        if (field.isWritten() && !names.add(name))
            field.mistake("%s (expected: each %s once)".formatted(Telling.quoted(name), what));
    }
}
