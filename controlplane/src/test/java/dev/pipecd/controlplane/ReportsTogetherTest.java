// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.ReportRequest;
import dev.pipecd.wire.link.Result;
import dev.pipecd.wire.link.Sent;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Reports that come in one call, at a real port.
final class ReportsTogetherTest {
    private RunningServer server;

    @BeforeEach
    void start() {
        server = RunningServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void eachHasItsAnswer() {
        assertThat(report(stat("a"), stat("b"))).extracting(Result::getCode).containsExactly(0, 0);
    }

    @Test
    void oneThatIsRefusedDoesNotBlockWhatIsBehindIt() {
        var told = report(stat("a"), stat("problem"), stat("b"));

        assertThat(codes(told))
                .containsExactly(Status.Code.OK, Status.Code.NOT_FOUND, Status.Code.OK);
        assertThat(told.get(1).getMessage())
                .isEqualTo("application: a1 (expected: one of yours). List them.");
    }

    @Test
    void nothingOvertakesOneThatMayBeSentAgain() throws Exception {
        var told = report(stat("a"), stat("throw"), stat("b"));

        assertThat(codes(told)).containsExactly(Status.Code.OK, Status.Code.INTERNAL);
        assertThat(told.get(1).getMessage()).startsWith("internal error").doesNotContain("secret");
        assertThat(handled("ReportStat", "OK")).isEqualTo(1);
    }

    @Test
    void theRulesOfEachRequestAreKept() {
        var told =
                report(
                        sent("CreateDeployment", CreateDeploymentRequest.getDefaultInstance()),
                        stat("a"));

        assertThat(codes(told)).containsExactly(Status.Code.INVALID_ARGUMENT, Status.Code.OK);
        assertThat(told.getFirst().getMessage())
                .isEqualTo("invalid request: deployment: missing (expected: a value)");
    }

    @Test
    void whatIsNoMessageIsItsSendersFault() {
        var nonsense = Sent.newBuilder().setCall("ReportStat").setRequest(ByteString.fromHex("ff"));

        assertThat(codes(report(nonsense.build(), stat("a"))))
                .containsExactly(Status.Code.INVALID_ARGUMENT, Status.Code.OK);
    }

    @Test
    void whatAsksOrIsUnknownIsNotTaken() {
        var told =
                report(
                        sent(
                                "ListUnhandledCommands",
                                ListUnhandledCommandsRequest.getDefaultInstance()),
                        sent("Nonsense", ReportStatRequest.getDefaultInstance()));

        assertThat(codes(told))
                .containsExactly(Status.Code.INVALID_ARGUMENT, Status.Code.INVALID_ARGUMENT);
        assertThat(told.getFirst().getMessage())
                .isEqualTo(
                        "call: ListUnhandledCommands (expected: one of PipedService that reports). Send it by itself.");
    }

    @Test
    void thereIsAnEndToHowManyComeTogether() {
        var many = Stream.generate(() -> stat("a")).limit(101).toArray(Sent[]::new);

        assertThatThrownBy(() -> report(many))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageStartingWith("INVALID_ARGUMENT: invalid request: reports: 101 items");
    }

    @Test
    void eachIsCountedAsTheCallItWouldHaveBeen() throws Exception {
        var _ = report(stat("a"), stat("problem"), stat("b"));

        assertThat(handled("ReportStat", "OK")).isEqualTo(2);
        assertThat(handled("ReportStat", "NotFound")).isEqualTo(1);
    }

    private long handled(String method, String code) throws Exception {
        return server.get("admin", "/metrics")
                .body()
                .lines()
                .filter(line ->
                        line.startsWith("grpc_server_handled_total{")
                                && line.contains("\"" + method + "\"")
                                && line.contains("\"" + code + "\""))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private List<Result> report(Sent... reports) {
        return LinkServiceGrpc.newBlockingStub(
                        server.channel(
                                "piped API", "authorization", RunningServer.token("piped-1")))
                .report(ReportRequest.newBuilder().addAllReports(List.of(reports)).build())
                .getResultsList();
    }

    private static List<Status.Code> codes(List<Result> told) {
        return told.stream().map(r -> Status.fromCodeValue(r.getCode()).getCode()).toList();
    }

    private static Sent stat(String what) {
        return sent(
                "ReportStat",
                ReportStatRequest.newBuilder()
                        .setPipedStats(ByteString.copyFromUtf8(what))
                        .build());
    }

    private static Sent sent(String call, Message request) {
        return Sent.newBuilder().setCall(call).setRequest(request.toByteString()).build();
    }
}
