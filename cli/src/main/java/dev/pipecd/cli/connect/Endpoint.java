// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.util.regex.Pattern;

/// Which control plane is asked, how, and with which key.
public record Endpoint(String address, ApiKey key, Transport transport) {
    /// `host`, `host:port`, `[::1]:port`; a scheme or a path is the usual mistake.
    private static final Pattern ADDRESS =
            Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^\\s:/@\\[\\]]+)(:\\d{1,5})?");

    private static final int LAST_PORT = 65_535;

    public Endpoint {
        if (!ADDRESS.matcher(address).matches())
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--address: %s (expected: host:port)".formatted(address),
                    "Leave out http:// and any path, for example --address localhost:8080.");
        if (port(address) > LAST_PORT)
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--address: %s (expected: a port up to %d)".formatted(address, LAST_PORT),
                    "Correct the port.");
    }

    private static int port(String address) {
        return address.matches(".*:\\d{1,5}")
                ? Integer.parseInt(address.substring(address.lastIndexOf(':') + 1))
                : 0;
    }

    /// Without one that of TLS is meant, which is seldom the control plane's.
    boolean hasPort() {
        return address.matches(".*:\\d{1,5}");
    }
}
