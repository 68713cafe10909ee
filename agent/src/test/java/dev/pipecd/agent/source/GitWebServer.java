// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.ReceivePack;
import org.eclipse.jgit.transport.RefAdvertiser;
import org.eclipse.jgit.transport.UploadPack;

/// A real Git server on this machine, behind TLS and a password; it runs in the test's own process,
/// as a program for each request would cost more than what is tested.
public final class GitWebServer implements AutoCloseable {
    static final String USER = "bot";
    static final String PASSWORD = "hunter2 %@:/";
    private static final char[] STORE = "changeit".toCharArray();

    private final HttpServer server;
    private final Path repositories;
    private final List<String> credentials = new CopyOnWriteArrayList<>();

    private GitWebServer(HttpServer server, Path repositories) {
        JGitSettings.install();
        this.server = server;
        this.repositories = repositories;
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> protectedBy(exchange, this::serve));
        server.createContext("/open/", exchange -> seen(exchange, this::serve));
        server.start();
    }

    /// Serves the repositories in a folder under `/`, and to everyone under `/open/`.
    static GitWebServer plain(Path repositories) throws IOException {
        return new GitWebServer(HttpServer.create(loopback(), 0), repositories);
    }

    static GitWebServer tls(Path repositories, Path store)
            throws IOException, GeneralSecurityException {
        var server = HttpsServer.create(loopback(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identity(store)));
        return new GitWebServer(server, repositories);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /// A key store with a certificate for `localhost`, and the certificate beside it.
    public static Path certificate(Path store)
            throws IOException, InterruptedException, GeneralSecurityException {
        keytool(
                store,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost");
        var encoded = Base64.getMimeEncoder(64, new byte[] {'\n'});
        var certificate = encoded.encodeToString(keys(store).getCertificate("server").getEncoded());
        return Files.writeString(
                store.resolveSibling("server.pem"),
                "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                        .formatted(certificate));
    }

    String address(String host) {
        var scheme = server instanceof HttpsServer ? "https" : "http";
        return "%s://%s:%d".formatted(scheme, host, server.getAddress().getPort());
    }

    void on(String path, HttpHandler handler) {
        server.createContext(path, exchange -> seen(exchange, handler));
    }

    /// The `Authorization` of each request that had one.
    List<String> credentials() {
        return credentials;
    }

    static String basic() {
        var pair = (USER + ":" + PASSWORD).getBytes(UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private void seen(HttpExchange exchange, HttpHandler next) throws IOException {
        var authorization = exchange.getRequestHeaders().getFirst("Authorization");
        if (authorization != null) credentials.add(authorization);
        try (exchange) {
            next.handle(exchange);
        }
    }

    private void protectedBy(HttpExchange exchange, HttpHandler next) throws IOException {
        seen(
                exchange,
                open -> {
                    if (basic().equals(open.getRequestHeaders().getFirst("Authorization"))) {
                        next.handle(open);
                    } else {
                        open.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"git\"");
                        open.sendResponseHeaders(401, -1);
                    }
                });
    }

    /// What is asked for below the context of the exchange.
    void serve(HttpExchange exchange) throws IOException {
        var context = exchange.getHttpContext().getPath().length();
        var path = exchange.getRequestURI().getPath().substring(context);
        var slash = path.indexOf('/');
        var gitDir = repositories.resolve(path.substring(0, Math.max(0, slash))).resolve(".git");
        if (slash < 0 || !Files.isDirectory(gitDir)) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        try (var repository = new FileRepositoryBuilder().setGitDir(gitDir.toFile()).build()) {
            var query = String.valueOf(exchange.getRequestURI().getQuery());
            if (path.endsWith("/git-receive-pack") || query.endsWith("=git-receive-pack"))
                receive(exchange, path.endsWith("/info/refs"), new ReceivePack(repository));
            else send(exchange, path.endsWith("/info/refs"), new UploadPack(repository));
        }
    }

    private static void send(HttpExchange exchange, boolean first, UploadPack upload)
            throws IOException {
        upload.setBiDirectionalPipe(false);
        var protocol = exchange.getRequestHeaders().getFirst("Git-Protocol");
        if (protocol != null) upload.setExtraParameters(List.of(protocol.split(":")));
        if (first) advertise(exchange, upload);
        else answer(exchange, upload);
    }

    private static void receive(HttpExchange exchange, boolean first, ReceivePack receive)
            throws IOException {
        receive.setBiDirectionalPipe(false);
        if (first) {
            try (var body = begin(exchange, "receive-pack-advertisement")) {
                var lines = new PacketLineOut(body);
                lines.writeString("# service=git-receive-pack\n");
                lines.end();
                receive.sendAdvertisedRefs(new RefAdvertiser.PacketLineOutRefAdvertiser(lines));
            }
        } else {
            try (var in = body(exchange);
                    var body = begin(exchange, "receive-pack-result")) {
                receive.receive(in, body, null);
            }
        }
    }

    private static void advertise(HttpExchange exchange, UploadPack upload) throws IOException {
        try (var body = begin(exchange, "upload-pack-advertisement")) {
            upload.sendAdvertisedRefs(
                    new RefAdvertiser.PacketLineOutRefAdvertiser(new PacketLineOut(body)),
                    "git-upload-pack");
        }
    }

    private static void answer(HttpExchange exchange, UploadPack upload) throws IOException {
        try (var in = body(exchange);
                var body = begin(exchange, "upload-pack-result")) {
            upload.upload(in, body, null);
        }
    }

    private static InputStream body(HttpExchange exchange) throws IOException {
        var zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        var asked = exchange.getRequestBody();
        return zipped ? new GZIPInputStream(asked) : asked;
    }

    private static OutputStream begin(HttpExchange exchange, String kind) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/x-git-" + kind);
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static SSLContext identity(Path store) throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(keyManagers(store).getKeyManagers(), null, null);
        return context;
    }

    public static KeyManagerFactory keyManagers(Path store)
            throws IOException, GeneralSecurityException {
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys(store), STORE);
        return factory;
    }

    private static KeyStore keys(Path store) throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, STORE);
        }
        return keys;
    }

    private static void keytool(Path store, String... arguments)
            throws IOException, InterruptedException {
        var argv = new ArrayList<String>();
        argv.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        argv.addAll(List.of(arguments));
        argv.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
        argv.addAll(List.of("-storepass", new String(STORE), "-alias", "server"));
        var process = new ProcessBuilder(argv).inheritIO().start();
        if (process.waitFor() != 0) throw new IllegalStateException("keytool failed");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
