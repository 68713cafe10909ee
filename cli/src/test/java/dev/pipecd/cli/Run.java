// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;

/// What one call of pipectl gave.
record Run(int code, String out, String err) {
    static Run pipectl(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        var code = Pipectl.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Run(code, out.toString(), err.toString());
    }

    /// With the flags that reach the server.
    static Run pipectl(LoopbackServer server, String... args) {
        var reaching =
                Stream.of("--address", server.address(), "--insecure", "--api-key", "k1.secret");
        return pipectl(Stream.concat(Stream.of(args), reaching).toArray(String[]::new));
    }
}
