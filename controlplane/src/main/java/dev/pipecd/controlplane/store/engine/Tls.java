// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import dev.pipecd.domain.Problem;
import java.sql.SQLException;
import java.util.Locale;

/// How connections are protected, read in the words of the public client.
///
/// @param mode in the words of our driver
/// @param orPlain whether a server that offers no encryption is spoken to without
record Tls(String mode, boolean orPlain) {
    static final String PLAIN = "disable";
    private static final String TRUE = "1|true|TRUE|True";
    private static final String FALSE = "0|false|FALSE|False|";

    static Tls of(Dsn dsn) {
        var wanted = dsn.parameters().getOrDefault("tls", "false");
        var mode = mode(wanted);
        var fallback = dsn.parameters().getOrDefault("allowFallbackToPlaintext", "false");
        return new Tls(
                mode,
                !mode.equals(PLAIN)
                        && (wanted.equalsIgnoreCase("preferred") || fallback.matches(TRUE)));
    }

    private static String mode(String wanted) {
        if (wanted.matches(TRUE)) return "verify-full";
        if (wanted.matches(FALSE)) return PLAIN;
        return switch (wanted.toLowerCase(Locale.ROOT)) {
            case "skip-verify", "preferred" -> "trust";
            default ->
                    throw new Problem(
                            Problem.Code.SETTING_INVALID,
                            "datastore.config.url: tls=%s (expected: one of true, skip-verify,"
                                            .formatted(wanted)
                                    + " preferred, false)",
                            "Choose one; certificates are checked against those of the machine.");
        };
    }

    /// The driver has no number for it.
    static boolean notOffered(SQLException e) {
        return e.getMessage() != null && e.getMessage().contains("ssl not enabled in the server");
    }
}
