// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StaticFilesTest {
    private static final String PAGE = "<!doctype html><title>PipeCD</title>";
    @TempDir private static Path folder;
    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        var application = Files.createDirectories(folder.resolve("static"));
        Files.createDirectories(application.resolve("assets"));
        Files.writeString(application.resolve("index.html"), PAGE);
        Files.writeString(application.resolve("favicon.ico"), "icon");
        Files.writeString(application.resolve("assets/app-1a2b.js"), "let a = 1;\n".repeat(1000));
        Files.writeString(application.resolve("encryption-key"), "top secret");
        Files.writeString(folder.resolve("secret.txt"), "top secret");
        server = RunningServer.start(RunningServer.Choices.usual().with(application));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/index.html", "/applications", "/deployments/d1?project=p", "/a/b.c"})
    void everyPathOfTheApplicationGivesItsStartPage(String path) throws Exception {
        var answer = server.get("gateway", path);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(PAGE);
        assertThat(answer.headers().firstValue("cache-control")).hasValue("no-cache");
        assertThat(answer.headers().firstValue("etag")).isPresent();
    }

    @Test
    void anUnchangedPageIsNotSentAgain() throws Exception {
        var tag = server.get("HTTP", "/").headers().firstValue("etag").orElseThrow();

        assertThat(server.get("HTTP", "/", "if-none-match", tag).statusCode()).isEqualTo(304);
    }

    @Test
    void filesNamedByTheirContentMayBeKeptForEver() throws Exception {
        var answer = server.get("HTTP", "/assets/app-1a2b.js");

        assertThat(answer.body()).startsWith("let a = 1;");
        assertThat(answer.headers().firstValue("cache-control"))
                .hasValue("public, max-age=31536000");
        assertThat(answer.headers().firstValue("content-type").orElseThrow())
                .contains("javascript");
    }

    @Test
    void filesAreCompressedForWhoCanReadThat() throws Exception {
        var answer =
                server.http.send(
                        server.request("HTTP", "/assets/app-1a2b.js", "accept-encoding", "gzip")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());

        assertThat(answer.headers().firstValue("content-encoding")).hasValue("gzip");
        var text = new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes();
        assertThat(new String(text, UTF_8)).startsWith("let a = 1;");
    }

    @Test
    void aMissingAssetIsNotTheStartPage() throws Exception {
        assertThat(server.get("HTTP", "/assets/old.js").statusCode()).isEqualTo(404);
    }

    @Test
    void itsIconIsServed() throws Exception {
        assertThat(server.get("HTTP", "/favicon.ico").body()).isEqualTo("icon");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/encryption-key",
                "/assets/../encryption-key",
                "/assets/%2e%2e/encryption-key",
                "/../secret.txt",
                "/assets/../../secret.txt",
                "/%2e%2e/secret.txt",
                "/assets/%2e%2e/%2e%2e/secret.txt",
                "/..%2fsecret.txt",
                "/assets/..%5c..%5csecret.txt",
                "//secret.txt",
                "/%00/../secret.txt"
            })
    void nothingOutsideTheApplicationCanBeRead(String path) throws Exception {
        assertThat(raw(path)).startsWith("HTTP/1.1 ").doesNotContain("top secret");
    }

    @Test
    void everyAnswerCarriesTheSecurityHeaders() throws Exception {
        var headers = server.get("HTTP", "/").headers();

        assertThat(headers.firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'");
        assertThat(headers.firstValue("x-content-type-options")).hasValue("nosniff");
        assertThat(headers.firstValue("referrer-policy")).hasValue("same-origin");
    }

    @Test
    void withoutTheApplicationThePageSaysSoAndLoginWorks() throws Exception {
        try (var bare = RunningServer.start()) {
            var answer = bare.get("HTTP", "/");

            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).contains("--static-dir");
            assertThat(
                            bare.post(
                                            "HTTP",
                                            "/auth/login/static",
                                            "project=quickstart&username=hello-pipecd&password=hello-pipecd",
                                            "content-type",
                                            "application/x-www-form-urlencoded")
                                    .statusCode())
                    .isEqualTo(302);
        }
    }

    /// As when the work directory is named, in which the configuration lies.
    @Test
    void aFolderWithoutAStartPageIsNoApplication() throws Exception {
        var work = folder.resolve("work");
        Files.createDirectories(work.resolve("assets"));
        for (var file : List.of("control-plane.yaml", "favicon.ico", "assets/a.js"))
            Files.writeString(work.resolve(file), "top secret");
        try (var bare = RunningServer.start(RunningServer.Choices.usual().with(work))) {
            for (var path : List.of("/", "/control-plane.yaml", "/favicon.ico", "/assets/a.js"))
                assertThat(bare.get("HTTP", path))
                        .as(path)
                        .returns(404, HttpResponse::statusCode)
                        .extracting(HttpResponse::body, STRING)
                        .contains("--static-dir");
        }
    }

    /// As written: a well-behaved client would tidy the path first.
    private String raw(String path) throws Exception {
        try (var socket = new Socket("127.0.0.1", server.port("HTTP"))) {
            socket.getOutputStream()
                    .write(
                            ("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                                    .getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
