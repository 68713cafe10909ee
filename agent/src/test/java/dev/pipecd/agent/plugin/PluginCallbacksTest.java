// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.pipecd.agent.plugin.callback.CallerGate;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.plugin.piped.GetApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.GetStageMetadataRequest;
import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.ListStageCommandsRequest;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import dev.pipecd.wire.plugin.piped.PutApplicationSharedObjectRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsFromLastCheckpointRequest;
import dev.pipecd.wire.plugin.piped.ReportStageLogsRequest;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What plugins ask of their agent, over its real port; the host itself does nothing here.
class PluginCallbacksTest {
    @TempDir static Path data;
    static HostInTest host;

    @BeforeAll
    static void setUp() {
        host = HostInTest.startScript(data, "sleep 600", HostInTest.QUICK);
        patiently().until(() -> !host.lines("starts").isEmpty());
    }

    @AfterAll
    static void tearDown() {
        host.close();
    }

    @Test
    void theHostIsToldByAFileOnlyWeCanRead() throws IOException {
        var file = data.resolve("plugin-host.json");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void callsWithoutTheTokenOrWithAWrongOneAreRefused() {
        for (var headers : List.of(new Metadata(), bearer("guess"))) {
            withAgent(
                    headers,
                    stub ->
                            assertThatThrownBy(() -> stub.getStageMetadata(metadata("d1", "k")))
                                    .isInstanceOf(StatusRuntimeException.class)
                                    .hasMessage(
                                            "UNAUTHENTICATED: authorization: missing or wrong (expected:"
                                                    + " PLUGIN-TOKEN and the token this agent gave its plugin host, or a plugin this"
                                                    + " agent started)"));
        }
    }

    @Test
    void requestsAreHeldToTheirRulesAndProblemsComeBackInWords() throws IOException {
        withAgent(
                bearer(token()),
                stub -> {
                    assertThatThrownBy(() -> stub.getStageMetadata(metadata("d1", "")))
                            .hasMessageStartingWith("INVALID_ARGUMENT: invalid request: ");
                    assertThatThrownBy(() -> stub.getStageMetadata(metadata("other", "k")))
                            .hasMessage(
                                    "NOT_FOUND: deployment: \"other\" (expected: one that runs here)");
                    assertThat(stub.getStageMetadata(metadata("d1", "absent")).getFound())
                            .isFalse();
                    assertThatThrownBy(() -> stub.installTool(tool("exit 3")))
                            .hasMessageStartingWith(
                                    "FAILED_PRECONDITION: tool: helm-1 cannot be installed: its script ended with exit code 3");
                });
    }

    @Test
    void toolsAreInstalledAndObjectsKeptForAnApplication() throws IOException {
        withAgent(
                bearer(token()),
                stub -> {
                    var path =
                            stub.installTool(tool("echo hi > {{ .OutPath }}")).getInstalledPath();
                    stub.putApplicationSharedObject(
                            PutApplicationSharedObjectRequest.newBuilder()
                                    .setApplicationId("a1")
                                    .setPluginName("fake")
                                    .setKey("k")
                                    .setObject(ByteString.copyFromUtf8("kept"))
                                    .build());

                    assertThat(Path.of(path)).hasContent("hi").isExecutable();
                    assertThat(stub.getApplicationSharedObject(object("k")).getObject())
                            .isEqualTo(ByteString.copyFromUtf8("kept"));
                    assertThatThrownBy(() -> stub.getApplicationSharedObject(object("other")))
                            .hasMessageStartingWith("NOT_FOUND");
                });
    }

    @Test
    void anEmptyLineOfALogDoesNotTakeItsBatchWithIt() throws IOException {
        host.callbacks().lines.clear();

        withAgent(
                bearer(token()),
                stub -> {
                    stub.reportStageLogs(
                            ReportStageLogsRequest.newBuilder()
                                    .setDeploymentId("d1")
                                    .setStageId("s1")
                                    .addAllBlocks(List.of(line(1, "a"), line(2, ""), line(3, "b")))
                                    .build());
                    stub.reportStageLogsFromLastCheckpoint(
                            ReportStageLogsFromLastCheckpointRequest.newBuilder()
                                    .setDeploymentId("d1")
                                    .setStageId("s1")
                                    .addBlocks(line(4, ""))
                                    .setCompleted(true)
                                    .build());
                });

        assertThat(host.callbacks().lines).containsExactly("a", " ", "b", " ", "(completed)");
    }

    @Test
    void whoSaysWhatItHasSeenIsAnsweredWhenThereIsMore() throws IOException {
        host.callbacks().commands.add(Command.newBuilder().setId("c2").build());
        host.callbacks().waits.set(3);
        var seen = bearer(token());
        seen.put(Metadata.Key.of("pipecd-seen-orders", Metadata.ASCII_STRING_MARSHALLER), "c1,c1");

        withAgent(bearer(token()), stub -> assertThat(orders(stub)).containsExactly("c1", "c2"));
        assertThat(host.callbacks().waits).as("at once").hasValue(3);
        withAgent(seen, stub -> assertThat(orders(stub)).containsExactly("c1", "c2"));
        assertThat(host.callbacks().waits).as("once too often").hasValue(-1);
    }

    private static List<String> orders(PluginServiceGrpc.PluginServiceBlockingStub stub) {
        return stub
                .listStageCommands(
                        ListStageCommandsRequest.newBuilder()
                                .setDeploymentId("d1")
                                .setStageId("s1")
                                .build())
                .getCommandsList()
                .stream()
                .map(Command::getId)
                .toList();
    }

    private static LogBlock line(long index, String text) {
        return LogBlock.newBuilder().setIndex(index).setLog(text).setCreatedAt(1).build();
    }

    private static InstallToolRequest tool(String script) {
        return InstallToolRequest.newBuilder()
                .setName("helm")
                .setVersion("1")
                .setInstallScript(script)
                .build();
    }

    private static GetApplicationSharedObjectRequest object(String key) {
        return GetApplicationSharedObjectRequest.newBuilder()
                .setApplicationId("a1")
                .setPluginName("fake")
                .setKey(key)
                .build();
    }

    @Test
    void thePluginServiceListensOnThisMachineOnly() {
        assertThat(host.plugins().serviceAddress()).startsWith("127.0.0.1:");
    }

    private static GetStageMetadataRequest metadata(String deployment, String key) {
        return GetStageMetadataRequest.newBuilder()
                .setDeploymentId(deployment)
                .setStageId("s1")
                .setKey(key)
                .build();
    }

    private static String token() throws IOException {
        return new com.fasterxml.jackson.databind.ObjectMapper()
                .readTree(Files.readString(data.resolve("plugin-host.json")))
                .get("token")
                .asText();
    }

    private static Metadata bearer(String token) {
        var headers = new Metadata();
        headers.put(CallerGate.AUTHORIZATION, CallerGate.bearer(token));
        return headers;
    }

    private static void withAgent(
            Metadata headers,
            java.util.function.Consumer<PluginServiceGrpc.PluginServiceBlockingStub> work) {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget("dns:///" + host.plugins().serviceAddress())
                        .usePlaintext()
                        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .build();
        try {
            work.accept(PluginServiceGrpc.newBlockingStub(channel));
        } finally {
            channel.shutdownNow();
        }
    }
}
