// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import java.util.Optional;

/// Reads a `cookie` header, which anybody may write as they like: what is malformed is passed over.
public final class Cookies {
    private Cookies() {}

    public static Optional<String> named(String name, String header) {
        for (var part : header.split(";", -1)) {
            var equals = part.indexOf('=');
            if (equals > 0 && part.substring(0, equals).strip().equals(name))
                return Optional.of(part.substring(equals + 1).strip());
        }
        return Optional.empty();
    }
}
