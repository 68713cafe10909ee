// SPDX-License-Identifier: Apache-2.0
package bench;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A server of the distribution alone on its storage, or another one that is there, and a person logged in to it.
final class Stand implements AutoCloseable {
    private final ProcessHandle process;
    private final int port;
    private final boolean ours;
    private final String cookie;
    private final ManagedChannel channel;

    private Stand(ProcessHandle process, int port) throws Exception {
        this.process = process;
        this.port = port;
        this.ours = true;
        cookie = Running.login(port);
        channel = channel();
    }

    private Stand(ProcessHandle process, int agents, int people, int pages) throws Exception {
        this.process = process;
        this.port = agents;
        this.ours = false;
        cookie = Running.login(pages);
        channel = channel(people);
    }

    /// A server of the public system, say, with the project and the person of a quickstart.
    ///
    /// @param place its ports for agents, people and pages, and its process id: `9080,9081,9082,4711`
    static Stand beside(String place) throws Exception {
        var numbers = place.split(",");
        if (numbers.length != 4) throw new IllegalArgumentException("BESIDE: %s (expected: three ports and a process id: 9080,9081,9082,4711)".formatted(place));
        var process = ProcessHandle.of(Long.parseLong(numbers[3])).orElseThrow(() -> new IllegalArgumentException("BESIDE: no process " + numbers[3]));
        return new Stand(process, Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
    }

    static Stand start(Path dist, Path folder, Storage storage) throws Exception {
        var hash = BCrypt.with(BCrypt.Version.VERSION_2A).hashToString(10, "hello-pipecd".toCharArray());
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                %s
                  projects:
                    - {id: quickstart, staticAdmin: {username: hello-pipecd, passwordHash: "%s"}}
                """
                        .formatted(storage.yaml(), hash));
        var port = Running.freePort();
        var command =
                new ArrayList<>(
                        List.of(
                                dist.resolve("bin/pipecd").toString(), "server",
                                "--config-file=" + folder.resolve("control-plane.yaml"),
                                "--encryption-key-file=" + folder.resolve("key"),
                                "--data-dir=" + folder.resolve("data"),
                                "--host=127.0.0.1", "--insecure-cookie=true", "--gateway-port=" + port, "--admin-port=0",
                                "--piped-api-port=-1", "--web-api-port=-1", "--http-port=-1", "--api-port=-1", "--envoy-authz-port=-1", "--log-encoding=json"));
        if (!storage.cache().isEmpty()) command.add("--cache-address=" + storage.cache());
        var output = folder.resolve("server.out");
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        while (!Starts.answers(URI.create("http://127.0.0.1:" + port + "/"))) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) throw new IOException(Files.readString(output));
        }
        return new Stand(process.toHandle(), port);
    }

    int port() {
        return port;
    }

    ManagedChannel channel() {
        return channel(port);
    }

    private static ManagedChannel channel(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().maxInboundMessageSize(256 << 20).build();
    }

    static ClientInterceptor header(String name, String value) {
        var headers = new Metadata();
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    WebServiceGrpc.WebServiceBlockingStub web() {
        return WebServiceGrpc.newBlockingStub(channel).withInterceptors(header("cookie", cookie));
    }

    APIServiceGrpc.APIServiceBlockingStub api() {
        var key = web().generateAPIKey(GenerateAPIKeyRequest.newBuilder().setName("bench").setRole(APIKey.Role.READ_ONLY).build()).getKey();
        return APIServiceGrpc.newBlockingStub(channel).withInterceptors(header("authorization", "API-KEY " + key));
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    String cookie() {
        return cookie;
    }

    /// CPU the server has used so far, in milliseconds.
    double cpu() {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e6;
    }

    /// As the kernel counts it, in kilobytes: `VmRSS` now, `VmHWM` at its highest.
    long resident(String field) throws IOException {
        return Starts.resident(process.pid(), field);
    }

    @Override
    public void close() {
        channel.shutdownNow();
        if (!ours) return;
        process.destroy();
        process.onExit().join();
    }
}
