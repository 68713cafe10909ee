// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import com.google.protobuf.UnsafeByteOperations;
import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.ReportRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Carries several reports in one call. Control planes of the public system do not offer that, and
/// something on the way may not let it pass: then each goes by itself for a while.
final class Batches {
    private static final Duration PAUSE_WHERE_NOT_OFFERED = Duration.ofMinutes(5);
    private static final Duration PAUSE_AFTER_TROUBLE = Duration.ofSeconds(10);

    private final ControlPlaneClient client;
    private volatile long notBefore = System.nanoTime();

    Batches(ControlPlaneClient client) {
        this.client = client;
    }

    /// Empty when nothing is known to be taken: then they are to be sent one by one.
    List<Outbox.Answer> send(List<Queued> reports) {
        if (System.nanoTime() - notBefore < 0) return List.of();
        var request = ReportRequest.newBuilder();
        for (var report : reports)
            request.addReportsBuilder()
                    .setCall(report.call())
                    .setRequest(UnsafeByteOperations.unsafeWrap(report.body()));
        try {
            var told =
                    ClientCalls.blockingUnaryCall(
                            client.channel(),
                            LinkServiceGrpc.getReportMethod(),
                            client.options(),
                            request.build());
            var answers = new ArrayList<Outbox.Answer>();
            for (var result : told.getResultsList().stream().limit(reports.size()).toList())
                answers.add(
                        client.answer(
                                Status.fromCodeValue(result.getCode())
                                        .withDescription(result.getMessage()),
                                reports.get(answers.size())));
            if (answers.isEmpty()) rest(PAUSE_WHERE_NOT_OFFERED);
            return answers;
        } catch (StatusRuntimeException e) {
            var offered = e.getStatus().getCode() != Status.Code.UNIMPLEMENTED;
            rest(offered ? PAUSE_AFTER_TROUBLE : PAUSE_WHERE_NOT_OFFERED);
            return List.of();
        }
    }

    private void rest(Duration pause) {
        notBefore = System.nanoTime() + pause.toNanos();
    }
}
