// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
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
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// A real Git server on this machine: `git http-backend` behind TLS and a password.
final class GitWebServer implements AutoCloseable {
    static final String USER = "bot";
    static final String PASSWORD = "hunter2 %@:/";
    private static final char[] STORE = "changeit".toCharArray();

    private final HttpServer server;
    private final Path repositories;
    private final List<String> credentials = new CopyOnWriteArrayList<>();

    private GitWebServer(HttpServer server, Path repositories) {
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
    static Path certificate(Path store) throws IOException, InterruptedException {
        keytool(
                store,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost");
        var certificate = store.resolveSibling("server.pem");
        keytool(store, "-exportcert", "-rfc", "-file", certificate.toString());
        return certificate;
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
        var request = exchange.getRequestHeaders();
        var builder = new ProcessBuilder("git", "http-backend");
        var environment = builder.environment();
        environment.put("GIT_PROJECT_ROOT", repositories.toString());
        environment.put("GIT_HTTP_EXPORT_ALL", "1");
        var context = exchange.getHttpContext().getPath().length() - 1;
        environment.put("PATH_INFO", exchange.getRequestURI().getPath().substring(context));
        environment.put("REQUEST_METHOD", exchange.getRequestMethod());
        environment.put("QUERY_STRING", text(exchange.getRequestURI().getRawQuery()));
        environment.put("CONTENT_TYPE", text(request.getFirst("Content-Type")));
        environment.put("HTTP_CONTENT_ENCODING", text(request.getFirst("Content-Encoding")));
        environment.put("GIT_PROTOCOL", text(request.getFirst("Git-Protocol")));
        var backend = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var in = backend.getOutputStream()) {
            exchange.getRequestBody().transferTo(in);
        }
        try (var out = new BufferedInputStream(backend.getInputStream())) {
            answer(exchange, out);
        }
    }

    private static String text(@Nullable String written) {
        return written == null ? "" : written;
    }

    private static void answer(HttpExchange exchange, InputStream cgi) throws IOException {
        var status = 200;
        for (var line = line(cgi); !line.isEmpty(); line = line(cgi)) {
            var colon = line.indexOf(':');
            var value = line.substring(colon + 1).strip();
            if (line.startsWith("Status:")) status = Integer.parseInt(value.substring(0, 3));
            else exchange.getResponseHeaders().set(line.substring(0, colon), value);
        }
        exchange.sendResponseHeaders(status, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            cgi.transferTo(body);
        }
    }

    private static String line(InputStream cgi) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var b = cgi.read(); b >= 0 && b != '\n'; b = cgi.read()) line.write(b);
        return line.toString(ISO_8859_1).strip();
    }

    private static SSLContext identity(Path store) throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, STORE);
        }
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, STORE);
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
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
