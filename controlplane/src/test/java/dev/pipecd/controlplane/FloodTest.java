// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.google.protobuf.BytesValue;
import com.google.protobuf.UnsafeByteOperations;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Callers without credentials who begin more than a small server could hold, and never end it.
final class FloodTest {
    private static final int CALLS = 400;
    private static final BytesValue PIECE =
            BytesValue.of(UnsafeByteOperations.unsafeWrap(new byte[60_000]));

    @TempDir private Path folder;
    private ServerProcess server;
    private final List<ManagedChannel> channels = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  webhook: {secret: topsecret}
                  projects:
                    - id: quickstart
                      staticAdmin: {username: hello-pipecd, passwordHash: "%s"}
                """
                        .formatted(
                                BCrypt.withDefaults()
                                        .hashToString(4, "hello-pipecd".toCharArray())));
        server =
                new ServerProcess(
                        "server",
                        folder,
                        List.of("-Xmx96m", "-XX:+ExitOnOutOfMemoryError"),
                        "--envoy-authz-port=0");
    }

    @AfterEach
    void stop() {
        channels.forEach(ManagedChannel::shutdownNow);
        server.close();
    }

    /// Twice, so that the memory of the first flood is seen to be back.
    @Test
    void bodiesThatNeverEndOverHttp2DoNotEndTheServer() throws Exception {
        for (var round = 0; round < 2; round++) {
            var flood = new ArrayList<ClientCall<BytesValue, BytesValue>>();
            for (var n = 0; n < CALLS / 2; n++) flood.add(begun("gateway", "webhook/github", 17));
            for (var n = 0; n < CALLS / 4; n++) {
                flood.add(begun("gateway", "auth/login/static", 1));
                flood.add(begun("gateway", "grpc.service.webservice.WebService/GetMe", 65));
                flood.add(begun("gateway", "grpc.health.v1.Health/Check", 65));
                flood.add(begun("authorization", "envoy.service.auth.v3.Authorization/Check", 65));
            }
            assertServes();

            flood.forEach(call -> call.cancel("over", null));
            assertServes();
        }
    }

    @Test
    void bodiesThatNeverEndOverHttp1DoNotEndTheServer() throws Exception {
        var sockets = new ArrayList<Socket>();
        for (var n = 0; n < CALLS; n++)
            sockets.add(
                    n % 2 == 0
                            ? posted("/webhook/github", "application/json", 1_000_000)
                            : posted(
                                    "/grpc.health.v1.Health/Check",
                                    "application/grpc-web+proto",
                                    4_000_000));
        assertServes();

        for (var socket : sockets) socket.close();
        assertServes();
    }

    private void assertServes() {
        assertThat(
                        WebServiceGrpc.newBlockingStub(server.person())
                                .withDeadlineAfter(1, TimeUnit.MINUTES)
                                .getMe(GetMeRequest.getDefaultInstance())
                                .getProjectId())
                .isEqualTo("quickstart");
        assertThat(ProcessHandle.of(server.pid()).filter(ProcessHandle::isAlive)).isPresent();
    }

    /// A call that has sent so many pieces, or was told that nobody waits for more.
    private ClientCall<BytesValue, BytesValue> begun(String port, String path, int pieces)
            throws InterruptedException {
        var method =
                MethodDescriptor.<BytesValue, BytesValue>newBuilder()
                        .setType(MethodDescriptor.MethodType.CLIENT_STREAMING)
                        .setFullMethodName(path)
                        .setRequestMarshaller(ProtoUtils.marshaller(PIECE))
                        .setResponseMarshaller(ProtoUtils.marshaller(PIECE))
                        .build();
        if (channels.size() < 2)
            for (var name : List.of("gateway", "authorization"))
                channels.add(
                        NettyChannelBuilder.forAddress(
                                        "127.0.0.1", server.ports().getOrDefault(name, 0))
                                .usePlaintext()
                                .build());
        var call =
                channels.get(port.equals("gateway") ? 0 : 1).newCall(method, CallOptions.DEFAULT);
        var ended = new CountDownLatch(1);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended.countDown();
                    }
                },
                new Metadata());
        for (var n = 0; n < pieces; n++) {
            while (!call.isReady() && ended.getCount() > 0) Thread.onSpinWait();
            if (ended.getCount() == 0) break;
            call.sendMessage(PIECE);
        }
        return call;
    }

    private Socket posted(String path, String type, int length) throws IOException {
        var socket = new Socket("127.0.0.1", server.ports().getOrDefault("gateway", 0));
        try {
            socket.getOutputStream()
                    .write(
                            "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                                    .formatted(path, type, length)
                                    .getBytes(UTF_8));
            socket.getOutputStream().write(new byte[length - 1]);
        } catch (SocketException e) {
            // it was told that nobody waits for more
        }
        return socket;
    }
}
