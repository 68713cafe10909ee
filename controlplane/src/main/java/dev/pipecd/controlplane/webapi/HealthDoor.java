// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.door.Ids;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.wire.health.GetPipedHealthRequest;
import dev.pipecd.wire.health.GetPipedHealthResponse;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.health.Part;
import io.grpc.stub.StreamObserver;

/// Tells people how an agent does.
public final class HealthDoor extends HealthServiceGrpc.HealthServiceImplBase {
    private final PipedHealth health;

    public HealthDoor(PipedHealth health) {
        this.health = health;
    }

    @Override
    public void getPipedHealth(
            GetPipedHealthRequest request, StreamObserver<GetPipedHealthResponse> answer) {
        var told = health.of(Caller.currentPerson(), Ids.piped(request.getPipedId()));
        var response = GetPipedHealthResponse.newBuilder().setToldAt(told.at());
        for (var part : told.parts())
            response.addParts(
                    Part.newBuilder()
                            .setKind(part.kind())
                            .setName(part.name())
                            .setOk(part.ok())
                            .setDetail(part.detail())
                            .setAdvice(part.advice()));
        Reply.with(answer, response.build());
    }
}
