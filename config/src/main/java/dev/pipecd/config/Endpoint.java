// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where a server is. Services of a composition are often called `pipecd_redis`, which every
/// resolver takes and [URI] does not take for a host.
///
/// @param uri as written, with hyphens where the host has underscores, so that its parts can be
///   asked for
/// @param host as written
public record Endpoint(URI uri, String host) {
    private static final Pattern AUTHORITY =
            Pattern.compile("(?<before>(?:.*@)?)(?<host>[\\w.-]+)(?<port>(?::\\d*)?)");

    /// Empty when no host can be made out.
    public static Optional<Endpoint> parsed(String text) {
        try {
            var uri = new URI(text);
            if (uri.getHost() != null) return Optional.of(new Endpoint(uri, uri.getHost()));
            if (uri.getRawAuthority() == null) return Optional.empty();
            var parts = AUTHORITY.matcher(uri.getRawAuthority());
            if (!parts.matches()) return Optional.empty();
            var host = parts.group("host");
            var understood = parts.group("before") + host.replace('_', '-') + parts.group("port");
            var start = text.indexOf(uri.getRawAuthority());
            var plain =
                    new URI(
                            text.substring(0, start)
                                    + understood
                                    + text.substring(start + understood.length()));
            return plain.getHost() == null
                    ? Optional.empty()
                    : Optional.of(new Endpoint(plain, host));
        } catch (URISyntaxException _) {
            return Optional.empty();
        }
    }

    /// Whether the address had to be written otherwise to be understood.
    public boolean isRenamed() {
        return !host.equals(uri.getHost());
    }

    /// As written, without who asks.
    public String told() {
        var port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + host + port + uri.getRawPath();
    }

    /// May hold a password.
    @Override
    public String toString() {
        return "Endpoint[" + host + "]";
    }
}
