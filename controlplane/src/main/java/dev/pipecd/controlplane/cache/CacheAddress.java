// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.cache;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Endpoint;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.util.Objects;

/// Where the cache is and how to get in. Never printed: the address may hold a password.
///
/// @param address empty for a cache in this process
/// @param caFile who vouches for the server's certificate; empty for the usual ones
public record CacheAddress(Secret address, Secret password, String caFile) {
    private static final int USUAL_PORT = 6379;

    /// A flag comes before the configuration.
    public static CacheAddress of(String flag, ControlPlaneConfig.Cache configured) {
        return new CacheAddress(
                flag.isEmpty() ? configured.address() : Secret.written("--cache-address", flag),
                configured.password(),
                configured.caFile());
    }

    public static CacheAddress none() {
        return new CacheAddress(Secret.none(), Secret.none(), "");
    }

    public Cache open() {
        return address.isSet() ? RedisCache.open(this) : new InProcessCache();
    }

    /// Whether the address can be understood; asks nobody.
    public void check() {
        var _ = place();
    }

    /// `host:port` alone is how the public server is told.
    Place place() {
        var text = address.stripped().reveal();
        try {
            var found = Endpoint.parsed(text.contains("://") ? text : "redis://" + text);
            var scheme = found.map(e -> e.uri().getScheme()).orElse("");
            var tls = scheme.equals("rediss");
            if (tls || scheme.equals("redis")) {
                var uri = found.get().uri();
                var who = Objects.requireNonNullElse(uri.getUserInfo(), "");
                var user = who.contains(":") ? who.substring(0, who.indexOf(':')) : "";
                var secret = who.substring(who.indexOf(':') + 1);
                return new Place(
                        found.get().host(),
                        uri.getPort() < 0 ? USUAL_PORT : uri.getPort(),
                        tls,
                        database(uri.getPath()),
                        user,
                        password.isSet() ? password.reveal() : secret);
            }
        } catch (NumberFormatException _) {
            // told below, without the text: it may hold a password
        }
        throw new Problem(
                Problem.Code.SETTING_INVALID,
                "cache address: not understood (expected: host:port, redis://host:port/db or"
                        + " rediss://user:password@host:port/db)",
                "Correct --cache-address or cache.address.");
    }

    private static int database(String path) {
        var number = path.replaceFirst("^/", "");
        return number.isEmpty() ? 0 : Integer.parseUnsignedInt(number);
    }

    /// @param user empty for the usual one
    /// @param password empty for none
    record Place(String host, int port, boolean tls, int database, String user, String password) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }
}
