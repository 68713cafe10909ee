// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.ByteString;
import dev.pipecd.config.launch.RequestScope;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportStatRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@ResourceLock(value = "logging", mode = ResourceAccessMode.READ) // sees what is logged
final class RequestIdTest {
    private static final Metadata.Key<String> ID =
            Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = RunningServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP", "gateway", "admin"})
    void aRequestKeepsTheIdItCameWith(String port) throws Exception {
        assertThat(answered(port, "/healthz", "x-request-id", "from-browser.1_2"))
                .containsExactly("from-browser.1_2");
    }

    @Test
    void aRequestWithoutAnIdGetsOne() throws Exception {
        var first = answered("HTTP", "/auth/logout");

        assertThat(first).singleElement().asString().matches("[0-9a-f]{16}");
        assertThat(answered("HTTP", "/auth/logout")).isNotEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a\u00e4", "<script>", "..", "", "a=1"})
    void anIdThatCouldForgeALineIsReplaced(String id) throws Exception {
        assertThat(answered("HTTP", "/auth/logout", "x-request-id", id))
                .singleElement()
                .asString()
                .matches("[0-9a-f]{16}");
        assertThat(answered("HTTP", "/auth/logout", "x-request-id", "a".repeat(65)))
                .singleElement()
                .asString()
                .matches("[0-9a-f]{16}");
    }

    private static List<String> answered(String port, String path, String... headers)
            throws Exception {
        return server.get(port, path, headers).headers().allValues("x-request-id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"piped API", "gateway"})
    void aCallIsAnsweredWithItsIdInHeadersAndTrailers(String port) {
        var headers = new AtomicReference<Metadata>(new Metadata());
        var trailers = new AtomicReference<Metadata>(new Metadata());

        var _ =
                PipedServiceGrpc.newBlockingStub(
                                server.channel(
                                        port,
                                        "authorization",
                                        RunningServer.token("piped-1"),
                                        "x-request-id",
                                        "call-1"))
                        .withInterceptors(
                                MetadataUtils.newCaptureMetadataInterceptor(headers, trailers))
                        .reportStat(ReportStatRequest.getDefaultInstance());

        assertThat(headers.get().get(ID)).isEqualTo("call-1");
        assertThat(trailers.get().get(ID)).isEqualTo("call-1");
    }

    @Test
    void aCallThatIsRefusedAtTheDoorTellsItsIdToo() {
        var refused = failure(server.channel("gateway", "x-request-id", "call-2"), "");

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(id(refused)).isEqualTo("call-2");
    }

    @Test
    void aFaultOfOursIsFoundInTheLogByTheIdTheCallerWasTold() {
        var logged = new CopyOnWriteArrayList<String>();
        var appender =
                new ListAppender<ILoggingEvent>() {
                    @Override
                    protected void append(ILoggingEvent event) {
                        logged.add(RequestScope.id() + " " + event.getFormattedMessage());
                    }
                };
        appender.start();
        var log = (Logger) LoggerFactory.getLogger("dev.pipecd.controlplane.server");
        log.addAppender(appender);
        try {
            var failed =
                    failure(
                            server.channel(
                                    "gateway",
                                    "authorization",
                                    RunningServer.token("piped-1"),
                                    "x-request-id",
                                    "call-3"),
                            "throw");

            assertThat(failed.getStatus().getDescription())
                    .isEqualTo(
                            "internal error. Look for request call-3 in the log of the control plane.");
            assertThat(id(failed)).isEqualTo("call-3");
            assertThat(logged).contains("call-3 internal error");
        } finally {
            log.detachAppender(appender);
        }
    }

    private static StatusRuntimeException failure(io.grpc.Channel channel, String stats) {
        try {
            var _ =
                    PipedServiceGrpc.newBlockingStub(channel)
                            .reportStat(
                                    ReportStatRequest.newBuilder()
                                            .setPipedStats(ByteString.copyFromUtf8(stats))
                                            .build());
            throw new AssertionError("it was answered");
        } catch (StatusRuntimeException e) {
            return e;
        }
    }

    private static String id(StatusRuntimeException e) {
        var trailers = e.getTrailers();
        return trailers == null ? "" : String.valueOf(trailers.get(ID));
    }
}
