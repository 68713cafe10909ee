// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.journal.Entry.Queued;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.ReportRequest;
import dev.pipecd.wire.link.ReportResponse;
import dev.pipecd.wire.link.Result;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.piped.ReportStatResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// How the client carries several reports, to control planes that take them together and to others.
final class ReportsTogetherTest {
    private static final Outbox.Answer TAKEN = new Outbox.Answer.Taken();

    private final Ours ours = new Ours();
    private final Public everybodys = new Public();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var each : opened) each.close();
    }

    @Test
    void severalGoInOneCallAndEachHasItsAnswer() throws Exception {
        ours.says(Status.OK, Status.NOT_FOUND.withDescription("gone"), Status.ALREADY_EXISTS);

        assertThat(client(true).send(reports(3)))
                .containsExactly(TAKEN, new Outbox.Answer.Refused("NOT_FOUND: gone"), TAKEN);
        assertThat(ours.asked).isEqualTo(List.of(List.of("r0", "r1", "r2")));
        assertThat(everybodys.told).isEmpty();
    }

    @Test
    void oneAloneGoesAsEveryControlPlaneTakesIt() throws Exception {
        assertThat(client(true).send(reports(1))).containsExactly(TAKEN);

        assertThat(ours.asked).isEmpty();
        assertThat(everybodys.told).containsExactly("r0");
    }

    @Test
    void aPublicControlPlaneIsAskedForItOnceAndGetsThemOneByOne() throws Exception {
        var client = client(false);

        assertThat(client.send(reports(3))).containsExactly(TAKEN);
        assertThat(client.send(reports(2))).containsExactly(TAKEN);

        assertThat(everybodys.told).containsExactly("r0", "r0");
        assertThat(client.trouble()).isEmpty();
    }

    @Test
    void oneThatDoesNotTakeThemTogetherAnyMoreIsNotAskedAgainAtOnce() throws Exception {
        ours.fails = Status.UNIMPLEMENTED;
        var client = client(true);

        var _ = client.send(reports(2));
        var _ = client.send(reports(2));

        assertThat(ours.asked).hasSize(1);
        assertThat(everybodys.told).containsExactly("r0", "r0");
    }

    @Test
    void whatTheWayDoesNotLetPassTogetherGoesOneByOne() throws Exception {
        for (var status : List.of(Status.PERMISSION_DENIED, Status.UNKNOWN, Status.UNAVAILABLE)) {
            ours.fails = status;

            assertThat(client(true).send(reports(2))).as("%s", status).containsExactly(TAKEN);
        }
    }

    @Test
    void aServerThatDiesInTheirMidstIsSentAllOfThemAgain() throws Exception {
        ours.fails = Status.UNAVAILABLE;
        everybodys.fails = Status.UNAVAILABLE.withDescription("gone");
        var client = client(true);

        assertThat(client.send(reports(3)))
                .containsExactly(new Outbox.Answer.ComeAgain("UNAVAILABLE: gone"));
        assertThat(client.trouble()).isEqualTo("UNAVAILABLE: gone");
    }

    @Test
    void whatIsBehindOneThatMayBeSentAgainHasNoAnswer() throws Exception {
        ours.says(Status.OK, Status.UNAVAILABLE.withDescription("store: unavailable"));

        assertThat(client(true).send(reports(3)))
                .containsExactly(
                        TAKEN, new Outbox.Answer.ComeAgain("UNAVAILABLE: store: unavailable"));
    }

    @Test
    void moreAnswersThanReportsAreNotBelieved() throws Exception {
        ours.says(Status.OK, Status.OK, Status.OK);

        assertThat(client(true).send(reports(2))).containsExactly(TAKEN, TAKEN);
    }

    private ControlPlaneClient client(boolean together) throws Exception {
        var builder =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(everybodys);
        if (together) builder.addService(ours);
        Server server = builder.build().start();
        opened.add(server::shutdownNow);
        var client =
                new ControlPlaneClient(
                        "127.0.0.1:" + server.getPort(),
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("p1"),
                        "key",
                        Duration.ofMinutes(2));
        opened.add(client);
        return client;
    }

    private static List<Queued> reports(int count) {
        return IntStream.range(0, count)
                .mapToObj(i ->
                        new Queued(
                                i,
                                "lane",
                                "ReportStat",
                                ReportStatRequest.newBuilder()
                                        .setPipedStats(
                                                com.google.protobuf.ByteString.copyFromUtf8(
                                                        "r" + i))
                                        .build()
                                        .toByteArray()))
                .toList();
    }

    private static final class Public extends PipedServiceGrpc.PipedServiceImplBase {
        private final List<String> told = new CopyOnWriteArrayList<>();
        private volatile Status fails = Status.OK;

        @Override
        public void reportStat(
                ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
            if (!fails.isOk()) {
                answer.onError(fails.asRuntimeException());
                return;
            }
            told.add(request.getPipedStats().toStringUtf8());
            answer.onNext(ReportStatResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    /// Answers what it was told to.
    private static final class Ours extends LinkServiceGrpc.LinkServiceImplBase {
        private final List<List<String>> asked = new CopyOnWriteArrayList<>();
        private volatile List<Status> answers = List.of();
        private volatile Status fails = Status.OK;

        void says(Status... statuses) {
            answers = List.of(statuses);
        }

        @Override
        public void report(ReportRequest request, StreamObserver<ReportResponse> answer) {
            try {
                var found = new ArrayList<String>();
                for (var sent : request.getReportsList())
                    found.add(
                            ReportStatRequest.parseFrom(sent.getRequest())
                                    .getPipedStats()
                                    .toStringUtf8());
                asked.add(found);
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
            if (!fails.isOk()) {
                answer.onError(fails.asRuntimeException());
                return;
            }
            var told = ReportResponse.newBuilder();
            for (var status : answers)
                told.addResults(
                        Result.newBuilder()
                                .setCode(status.getCode().value())
                                .setMessage(String.valueOf(status.getDescription())));
            answer.onNext(told.build());
            answer.onCompleted();
        }
    }
}
