// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.agentapi;

import dev.pipecd.controlplane.access.Credentials;
import dev.pipecd.controlplane.access.Keyring;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.authz.AuthorizationGrpc;
import dev.pipecd.wire.authz.CheckRequest;
import dev.pipecd.wire.authz.CheckResponse;
import dev.pipecd.wire.authz.Verdict;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/// Tells an Envoy gateway whether a call it holds comes from one of our agents.
public final class AuthorizationDoor extends AuthorizationGrpc.AuthorizationImplBase {
    private final Keyring keys;

    public AuthorizationDoor(Keyring keys) {
        this.keys = keys;
    }

    @Override
    public void check(CheckRequest request, StreamObserver<CheckResponse> answer) {
        var headers = request.getAttributes().getRequest().getHttp().getHeadersMap();
        Reply.with(answer, verdict(headers.getOrDefault("authorization", "")));
    }

    private CheckResponse verdict(String header) {
        if (header.isBlank()) return said(Status.Code.UNAUTHENTICATED, "no authorization header");
        try {
            keys.agent(Credentials.bearer(header.strip()));
            return said(Status.Code.OK, "");
        } catch (Problem problem) {
            // A store that is away is not the caller's fault and must not look like it.
            if (problem.code() != Problem.Code.UNAUTHENTICATED) throw problem;
            return said(Status.Code.PERMISSION_DENIED, "not an agent's credentials");
        }
    }

    private static CheckResponse said(Status.Code code, String text) {
        return CheckResponse.newBuilder()
                .setStatus(Verdict.newBuilder().setCode(code.value()).setMessage(text))
                .build();
    }
}
