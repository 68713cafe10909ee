// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `pipecd ops` as its command starts it, on a real database.
final class OpsTest {
    @TempDir private Path folder;

    @Test
    void thePublicCommandLineIsUnderstood() {
        var ops =
                parsed(
                        "--cache-address=redis:6379",
                        "--config-file=control-plane-config.yaml",
                        "--log-encoding=humanize",
                        "--metrics=true",
                        "--gcloud-path",
                        "/usr/bin/gcloud");

        assertThat(ops.cacheAddress).isEqualTo("redis:6379");
        assertThat(ops.configFile).isEqualTo("control-plane-config.yaml");
        assertThat(ops.httpPort).isEqualTo(9082);
        assertThat(ops.adminPort).isEqualTo(9085);
        assertThat(ops.gracePeriod).isEqualTo(Duration.ofSeconds(15));
        assertThat(ops.common.metrics()).isTrue();
    }

    private static OpsCommand parsed(String... flags) {
        var line = new CommandLine(new Pipecd());
        var args = new java.util.ArrayList<>(List.of(flags));
        args.addFirst("ops");
        var parsed = line.parseArgs(GoFlags.plain(line, args.toArray(String[]::new)));
        return (OpsCommand) parsed.subcommand().commandSpec().userObject();
    }

    @Test
    void besideAServerOnSqliteItIsRefusedWithAdvice() throws IOException {
        configured("{type: SQLITE, config: {path: %s}}".formatted(folder.resolve("x.db")));

        assertThatThrownBy(() -> Ops.start(options()))
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem ->
                                assertThat(problem.told())
                                        .contains("(expected: MYSQL or MARIADB)")
                                        .contains("start `pipecd server` alone"));
    }

    @Test
    void severalMayRunAndTellThatTheyAreWell() throws Exception {
        configured(TestDatabases.mariaDb());
        try (var one = Ops.start(options());
                var other = Ops.start(options())) {
            assertThat(health(one)).isEqualTo("ok");
            assertThat(health(other)).isEqualTo("ok");
        }
    }

    private void configured(String datastore) throws IOException {
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  datastore: %s
                """
                        .formatted(datastore));
    }

    private OpsOptions options() {
        return new OpsOptions(
                new OpsOptions.Numbers(0, 0),
                new Ports.Settings(
                        Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(5)),
                new OpsOptions.Places(
                        new GivenFile(
                                "--config-file", folder.resolve("control-plane.yaml").toString()),
                        folder.resolve("data"),
                        ""),
                new ServerOptions.Trust(true, false),
                true);
    }

    private static String health(Ops ops) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:%d/healthz"
                                                            .formatted(
                                                                    ops.port("admin")
                                                                            .orElseThrow())))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
