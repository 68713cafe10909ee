// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import java.util.List;

/// Another system that vouches for people. Texts are empty when not set.
public sealed interface Provider {
    Client client();

    /// How we ask it.
    Route route();

    /// @param baseUrl of an Enterprise server, or of its API
    record GitHub(Client client, String baseUrl, Route route) implements Provider {}

    /// @param redirectUri where people come back to, if it is not our usual address
    record Oidc(
            Client client,
            String issuer,
            String redirectUri,
            Endpoints endpoints,
            List<String> scopes,
            Claims claims,
            Route route)
            implements Provider {
        public Oidc {
            scopes = List.copyOf(scopes);
        }
    }

    /// As whom we ask.
    record Client(String id, String secret) {
        @Override
        public String toString() {
            return "Client"; // neither is to be told
        }
    }

    /// Used instead of what the issuer's own description says.
    record Endpoints(String authorization, String token, String userInfo) {}

    /// Where to look for names and roles instead of the usual places.
    record Claims(String roles, String username, String avatarUrl) {}
}
