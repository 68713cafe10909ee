// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import java.util.regex.Pattern;

/// What is told in place of something secret.
public final class Redacted {
    public static final String TEXT = "redacted";

    /// Whatever stands before the last `@`: a password may hold any character, quoted or not.
    private static final Pattern LOGIN =
            Pattern.compile(
                    "^([a-z][a-z0-9+.-]*://)?.*@", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private Redacted() {}

    /// A URL without the user and password in it.
    public static String url(String url) {
        return LOGIN.matcher(url).replaceFirst("$1" + TEXT + "@");
    }
}
