// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

/// The control plane as its command starts it, with one project, reached through its gateway by
/// those who have credentials.
final class WholeServer implements AutoCloseable {
    static final String PROJECT = "here";
    private static final String CONFIG =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              projects:
                - id: here
                  staticAdmin:
                    username: ann
                    passwordHash: "%s"
            """
                    .formatted(BCrypt.withDefaults().hashToString(4, "secret".toCharArray()));

    private final ControlPlane server;
    private final ManagedChannel channel;
    private final WebServiceBlockingStub people;

    WholeServer(Path folder) throws Exception {
        Files.writeString(folder.resolve("control-plane.yaml"), CONFIG);
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        server = ControlPlane.start(ControlPlaneTest.options(folder));
        var port = server.port("gateway").orElseThrow();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        people =
                WebServiceGrpc.newBlockingStub(
                        RunningServer.withHeaders(channel, "cookie", login(port)));
    }

    private static String login(int port) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request =
                    HttpRequest.newBuilder(
                                    URI.create("http://127.0.0.1:" + port + "/auth/login/static"))
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            "project=here&username=ann&password=secret"))
                            .build();
            return http.send(request, HttpResponse.BodyHandlers.discarding())
                    .headers()
                    .firstValue("set-cookie")
                    .orElseThrow()
                    .replaceFirst(";.*", "");
        }
    }

    /// As the static admin.
    WebServiceBlockingStub people() {
        return people;
    }

    Channel agent(String id, String key) {
        return RunningServer.withHeaders(
                channel, "authorization", "PIPED-TOKEN %s,%s,%s".formatted(PROJECT, id, key));
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.close();
    }
}
