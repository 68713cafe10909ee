// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PublishedSiteTest {
    @TempDir Path folder;
    private PublishedSite site;

    @BeforeEach
    void serve() throws IOException {
        site = PublishedSite.serve(folder, 0);
    }

    @AfterEach
    void stop() {
        site.close();
    }

    @Test
    void beforeTheFirstDeploymentItSaysWhatToDo() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/").body())
                .isEqualTo(
                        "Nothing is published yet: approve a deployment of the application `site`.\n");
    }

    @Test
    void theSwitchedLinkIsSeenByTheNextRequest() throws Exception {
        publish("one", "first");
        assertThat(get("/").body()).isEqualTo("first");

        publish("two", "second");

        assertThat(get("/").body()).isEqualTo("second");
        assertThat(get("/").headers().firstValue("content-type"))
                .hasValue("text/html; charset=utf-8");
    }

    @Test
    void nothingOutsideThePublishedFolderIsServed() throws Exception {
        publish("one", "first");
        Files.writeString(folder.resolve("secret"), "secret");
        Files.createSymbolicLink(folder.resolve("one/link"), folder.resolve("secret"));

        assertThat(get("/%2e%2e/secret").statusCode()).isEqualTo(404);
        assertThat(get("/link").statusCode()).isEqualTo(404);
    }

    private void publish(String release, String text) throws IOException {
        Files.createDirectories(folder.resolve(release));
        Files.writeString(folder.resolve(release).resolve("index.html"), text);
        Files.deleteIfExists(folder.resolve("current"));
        Files.createSymbolicLink(folder.resolve("current"), Path.of(release));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + site.port() + path))
                        .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
