// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import io.grpc.Context;

/// What an `authorization` header carries, before anybody has looked whether it is true.
public sealed interface Credentials {
    /// The token of the current call, for streams that look again whether it is still good.
    Context.Key<PipedToken> CURRENT_PIPED_TOKEN = Context.key("piped-token");

    /// An agent's: `PIPED-TOKEN project,piped,key`.
    record PipedToken(ProjectId project, PipedId piped, String key) implements Credentials {
        @Override
        public String toString() {
            return "PipedToken[" + project + "," + piped + "]";
        }
    }

    /// `API-KEY key`.
    record ApiKey(String key) implements Credentials {
        @Override
        public String toString() {
            return "ApiKey";
        }
    }

    /// Clients know these texts: they are part of the public protocol.
    static Credentials parse(String header) {
        var parts = header.split(" ", -1);
        if (parts.length != 2) throw refused("credentials is malformed");
        return switch (parts[0]) {
            case "PIPED-TOKEN" -> pipedToken(parts[1]);
            case "API-KEY" -> apiKey(parts[1]);
            case "ID-TOKEN" -> throw unauthenticated();
            default -> throw refused("unsupported credentials type");
        };
    }

    /// An agent's as telemetry clients send it: `Bearer project,piped,key`.
    static PipedToken bearer(String header) {
        if (!header.startsWith("Bearer ")) throw refused("unsupported credentials type");
        return pipedToken(header.substring("Bearer ".length()).strip());
    }

    private static PipedToken pipedToken(String data) {
        var parts = data.split(",", -1);
        if (parts.length != 3 || parts[0].isBlank() || parts[1].isBlank() || parts[2].isBlank())
            throw unauthenticated();
        return new PipedToken(new ProjectId(parts[0]), new PipedId(parts[1]), parts[2]);
    }

    private static ApiKey apiKey(String data) {
        if (data.isBlank()) throw unauthenticated();
        return new ApiKey(data);
    }

    static Problem missing() {
        return refused("missing credentials in authorization");
    }

    /// One text for whatever is wrong, so that nobody learns which part was right.
    static Problem unauthenticated() {
        return refused("Unauthenticated");
    }

    private static Problem refused(String text) {
        return new Problem(Problem.Code.UNAUTHENTICATED, text, "");
    }
}
