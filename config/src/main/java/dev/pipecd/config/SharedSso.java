// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;

/// A way to log in that several projects may use.
public record SharedSso(String name, Duration sessionTtl, Provider provider) {

    public sealed interface Provider {}

    /// The URL of the proxy may hold a password.
    public record GitHub(Client client, String baseUrl, String uploadUrl, Secret proxyUrl)
            implements Provider {}

    /// Endpoints other than the issuer override what discovery tells.
    public record Oidc(
            Client client, Endpoints endpoints, List<String> scopes, Claims claims, Secret proxyUrl)
            implements Provider {
        public Oidc {
            scopes = List.copyOf(scopes);
        }
    }

    /// Nothing of ours speaks TLS or SOCKS with a proxy: what is meant for one of these would go to
    /// it in plain.
    public static boolean isUsableProxy(String url) {
        try {
            var uri = new URI(url);
            return "http".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /// Can be written, and is offered by nobody.
    public record Google(Client client) implements Provider {}

    /// The public system keeps both from being seen.
    public record Client(Secret id, Secret secret) {}

    public record Endpoints(
            String issuer,
            String redirectUri,
            String authorization,
            String token,
            String userInfo) {}

    /// Which claims of the id token tell who somebody is; empty: the usual ones.
    public record Claims(String roles, String username, String avatarUrl) {}
}
