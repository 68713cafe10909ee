// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.cache.CacheReads;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import io.grpc.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Names, labels and buckets as dashboards for the public server know them.
final class MetricsTest {
    private static final String REPORT_STAT =
            "grpc_method=\"ReportStat\",grpc_service=\"grpc.service.pipedservice.PipedService\",grpc_type=\"unary\",pipecd_component=\"server\"";

    private final Metrics metrics = new Metrics(new CacheReads());

    private List<String> lines(String name) {
        return new String(metrics.text(), UTF_8)
                .lines()
                .filter(line -> line.startsWith(name))
                .toList();
    }

    @Test
    void aCallIsToldWithItsMessagesBothWays() {
        var method = metrics.method(PipedServiceGrpc.getReportStatMethod());

        method.started();
        method.received();
        method.sent();

        for (var name : List.of("started", "msg_received", "msg_sent"))
            assertThat(lines("grpc_server_" + name))
                    .containsExactly("grpc_server_%s_total{%s} 1.0".formatted(name, REPORT_STAT));
    }

    @ParameterizedTest
    @CsvSource({
        "OK, OK",
        "CANCELLED, Canceled",
        "NOT_FOUND, NotFound",
        "FAILED_PRECONDITION, FailedPrecondition",
        "UNAUTHENTICATED, Unauthenticated"
    })
    void anAnswerIsToldByItsCodeInGo(Status.Code code, String told) {
        metrics.method(PipedServiceGrpc.getReportStatMethod()).handled(code.toStatus());

        assertThat(lines("grpc_server_handled_total"))
                .contains(
                        "grpc_server_handled_total{grpc_code=\"%s\",%s} 1.0"
                                .formatted(told, REPORT_STAT));
    }

    @Test
    void deploymentsAreToldByProject() {
        metrics.deploymentCreated(new ProjectId("here"));

        assertThat(lines("grpcapi_create_deployment"))
                .containsExactly(
                        "grpcapi_create_deployment_total{pipecd_component=\"server\",project=\"here\"} 1.0");
    }

    @Test
    void requestsAreToldWithHowLongTheyTook() {
        metrics.request(302, "GET", "/auth/logout", 6);

        var labels =
                "code=\"302\",method=\"GET\",path=\"/auth/logout\",pipecd_component=\"server\"";
        assertThat(lines("http_requests"))
                .containsExactly("http_requests_total{%s} 1.0".formatted(labels));
        assertThat(lines("http_request_duration_milliseconds_bucket"))
                .extracting(line -> line.replaceFirst(".*le=\"([^\"]*)\"} ", "$1: "))
                .containsExactly(
                        "1.0: 0",
                        "5.0: 0",
                        "25.0: 1",
                        "125.0: 1",
                        "625.0: 1",
                        "3125.0: 1",
                        "15625.0: 1",
                        "+Inf: 1");
        assertThat(lines("http_request_duration_milliseconds_sum"))
                .containsExactly(
                        "http_request_duration_milliseconds_sum{%s} 6.0".formatted(labels));
    }

    @Test
    void theProcessIsToldAsAnyOther() {
        assertThat(lines("process_"))
                .extracting(line -> line.replaceFirst("\\{.*} .*", ""))
                .containsExactlyInAnyOrder(
                        "process_cpu_seconds_total",
                        "process_max_fds",
                        "process_open_fds",
                        "process_resident_memory_bytes",
                        "process_start_time_seconds",
                        "process_virtual_memory_bytes");
        assertThat(lines("process_")).noneMatch(line -> line.endsWith("} 0.0"));
    }
}
