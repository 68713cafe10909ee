// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoRepositoryTest {
    @TempDir Path folder;
    private Place place;

    @BeforeEach
    void placeWithAnAwkwardName() {
        place = new Place(folder.resolve("it's a demo"), 8080);
    }

    @Test
    void bothSamplesAreCommittedOnMain() throws Exception {
        new DemoRepository(place).ensure();

        assertThat(git("ls-tree", "-r", "--name-only", "main").lines())
                .containsExactly(
                        "README.md",
                        "broken/app.pipecd.yaml",
                        "site/app.pipecd.yaml",
                        "site/index.html");
        assertThat(git("status", "--porcelain")).isEmpty();
    }

    @Test
    void aSecondRunKeepsWhatWasCommittedMeanwhile() throws Exception {
        new DemoRepository(place).ensure();
        Files.writeString(place.repository().resolve("site/index.html"), "mine");
        git("commit", "-qam", "Mine");

        new DemoRepository(place).ensure();

        assertThat(git("show", "main:site/index.html")).isEqualTo("mine");
    }

    @Test
    void whatACrashLeftHalfMadeIsMadeAgain() throws Exception {
        Files.createDirectories(place.data().resolve("repo.new/.git"));
        Files.writeString(place.data().resolve("repo.new/.git/index.lock"), "");

        new DemoRepository(place).ensure();

        assertThat(git("log", "--format=%s").strip()).isEqualTo("Add the sample applications");
    }

    @Test
    void thePublishedFolderStandsInTheSampleAsYamlReadsIt() throws Exception {
        new DemoRepository(place).ensure();

        assertThat(Files.readString(place.repository().resolve("site/app.pipecd.yaml")))
                .contains("PUBLISH_DIR: '" + place.published().toString().replace("'", "''") + "'");
    }

    @Test
    void aCommitTellsTheControlPlaneAsAGitServerWould() throws Exception {
        var requests = new LinkedBlockingQueue<String>();
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/webhook/gitlab",
                exchange -> {
                    var body =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8);
                    requests.add(
                            exchange.getRequestMethod()
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("X-Gitlab-Token")
                                    + " "
                                    + body);
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        server.start();
        try {
            new DemoRepository(place).ensure();
            WholeFile.write(place.webhookSecret(), "s3cret\n");
            WholeFile.write(place.running("port"), server.getAddress().getPort() + "\n");

            git("commit", "-q", "--allow-empty", "-m", "Nothing");

            assertThat(requests.poll(1, TimeUnit.MINUTES))
                    .isEqualTo(
                            "POST s3cret {\"object_kind\":\"push\",\"ref\":\"refs/heads/main\",\"project\":{\"git_http_url\":\""
                                    + place.repository()
                                    + "\"}}");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aCommitSucceedsWhenNoControlPlaneRuns() throws Exception {
        new DemoRepository(place).ensure();
        WholeFile.write(place.webhookSecret(), "s3cret\n");
        WholeFile.write(place.running("port"), Ports.free() + "\n");

        git("commit", "-q", "--allow-empty", "-m", "Nothing");

        assertThat(git("rev-list", "--count", "main").strip()).isEqualTo("2");
    }

    private String git(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        var builder =
                new ProcessBuilder(command)
                        .directory(place.repository().toFile())
                        .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("GIT_"));
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
