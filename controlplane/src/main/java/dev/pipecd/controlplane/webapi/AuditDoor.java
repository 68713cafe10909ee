// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.webapi;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.door.Reply;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.audit.*;
import io.grpc.stub.StreamObserver;
import java.util.Arrays;

/// Takes what administrators ask about deeds.
public final class AuditDoor extends AuditServiceGrpc.AuditServiceImplBase {
    private final AuditLog log;

    public AuditDoor(AuditLog log) {
        this.log = log;
    }

    @Override
    public void listAuditEntries(
            ListAuditEntriesRequest request, StreamObserver<ListAuditEntriesResponse> answer) {
        var caller = Caller.currentPerson();
        var filter =
                new AuditFilter(
                        caller.project(),
                        request.getActor(),
                        request.getKind(),
                        request.getSubjectId(),
                        request.getViaList().stream().map(AuditDoor::via).toList(),
                        request.getFrom(),
                        request.getTo());
        var page = log.page(caller, filter, request.getCursor(), request.getPageSize());
        var told = ListAuditEntriesResponse.newBuilder().setCursor(page.cursor());
        page.items().forEach(entry -> told.addEntries(told(entry)));
        Reply.with(answer, told.build());
    }

    private static Origin.Via via(String name) {
        return Arrays.stream(Origin.Via.values())
                .filter(v -> v.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.REQUEST_INVALID,
                                "via: %s (expected: one of %s)"
                                        .formatted(name, Arrays.toString(Origin.Via.values())),
                                "Name the doors that are meant, or none."));
    }

    private static AuditEntry told(dev.pipecd.controlplane.audit.AuditEntry entry) {
        var change = entry.change();
        return AuditEntry.newBuilder()
                .setSequence(change.cursor())
                .setAt(change.at().getEpochSecond())
                .setActor(change.actor())
                .setVia(entry.origin().via().name())
                .setFrom(entry.origin().address())
                .setRequestId(entry.origin().request())
                .setKind(change.kind().name())
                .setSubjectId(change.id())
                .setWhat(change.what())
                .setBefore(entry.before())
                .setAfter(entry.after())
                .build();
    }
}
