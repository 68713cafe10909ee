// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;

/// A quickstart of its own, and a person logged in to it.
final class Running implements AutoCloseable {
    private static final Metadata.Key<String> COOKIE = Metadata.Key.of("cookie", Metadata.ASCII_STRING_MARSHALLER);

    private final Process process;
    private final Path data;
    private final int port;
    private final String cookie;
    private final ManagedChannel channel;

    private Running(Process process, Path data, int port, String cookie) {
        this.process = process;
        this.data = data;
        this.port = port;
        this.cookie = cookie;
        channel = channel();
    }

    static Running quickstart(Path dist, Path data) throws Exception {
        var port = freePort();
        var output = data.resolveSibling(data.getFileName() + ".out");
        var process =
                new ProcessBuilder(
                                dist.resolve("bin/pipecd").toString(), "quickstart", "--port", Integer.toString(port), "--data", data.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        // A benchmark that is broken off leaves nothing running.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        while (!Files.readString(output).contains("PipeCD is running")) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) throw new IOException(Files.readString(output));
        }
        return new Running(process, data, port, login(port));
    }

    static String login(int port) throws Exception {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/auth/login/static"))
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString("project=quickstart&username=hello-pipecd&password=hello-pipecd"))
                        .build();
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).headers().allValues("set-cookie").stream()
                .map(value -> value.split(";", 2)[0])
                .filter(value -> value.startsWith("token="))
                .findFirst()
                .orElseThrow();
    }

    int port() {
        return port;
    }

    ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().maxInboundMessageSize(64 << 20).build();
    }

    WebServiceGrpc.WebServiceBlockingStub web() {
        var headers = new Metadata();
        headers.put(COOKIE, cookie);
        return WebServiceGrpc.newBlockingStub(channel).withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    String cookie() {
        return cookie;
    }

    Path repository() {
        return data.resolve("repo");
    }

    long pid(String program) throws IOException {
        return Long.parseLong(Files.readString(data.resolve("run").resolve(program + ".pid")).split(" ")[0]);
    }

    @Override
    public void close() throws InterruptedException {
        channel.shutdownNow();
        process.destroy();
        process.waitFor();
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    static void delete(Path folder) throws IOException {
        try (var paths = Files.walk(folder)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) Files.deleteIfExists(path);
        }
    }
}
