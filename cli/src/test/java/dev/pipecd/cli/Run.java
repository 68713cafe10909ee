// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.util.stream.Stream;

/// What one call of pipectl gave.
record Run(int code, String out, String err) {
    static Run pipectl(String... args) {
        return new Surroundings().pipectl(args);
    }

    /// With the flags that reach the server.
    static Run pipectl(LoopbackServer server, String... args) {
        return pipectl(reaching(server, args));
    }

    static String[] reaching(LoopbackServer server, String... args) {
        var flags =
                Stream.of("--address", server.address(), "--insecure", "--api-key", "k1.secret");
        return Stream.concat(Stream.of(args), flags).toArray(String[]::new);
    }
}
