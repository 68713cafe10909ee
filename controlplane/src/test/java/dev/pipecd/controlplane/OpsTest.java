// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.store.CommandTable;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        var line = Pipecd.commandLine();
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
    void severalMayRunAndWhatIsToBeDoneIsDone() throws Exception {
        configured(TestDatabases.mariaDb());
        try (var database = Database.open(place())) {
            var table = new CommandTable(database, new Trail(database), InstantSource.system());
            table.add(forgotten("c1"), "ann");
            try (var one = Ops.start(options());
                    var other = Ops.start(options())) {
                assertThat(get(one, "/healthz")).isEqualTo("ok");
                assertThat(get(other, "/healthz")).isEqualTo("ok");

                await().atMost(Duration.ofMinutes(2))
                        .until(() ->
                                table.find(new CommandId("c1")).orElseThrow().getStatus()
                                        == CommandStatus.COMMAND_TIMEOUT);
                // that a chore is done is noted a moment after what it did is seen
                await().atMost(Duration.ofMinutes(2))
                        .untilAsserted(() ->
                                assertTellWhoseTurnItIs(
                                        get(one, "/metrics") + get(other, "/metrics")));
            }
        }
    }

    @Test
    void whoIsToldToStopEndsWithoutAFailure() throws Exception {
        configured(TestDatabases.mariaDb());
        try (var ops = new OpsProcess(folder)) {
            assertThat(ops.ports()).containsOnlyKeys("HTTP", "admin");

            assertThat(ops.terminate()).isZero();
            assertThat(ops.log()).contains("stopped");
        }
    }

    private static void assertTellWhoseTurnItIs(String metrics) {
        assertThat(metrics.lines().filter(line -> line.startsWith("pipecd_ops_turn")))
                .containsExactlyInAnyOrder(
                        "pipecd_ops_turn{pipecd_component=\"ops\"} 1.0",
                        "pipecd_ops_turn{pipecd_component=\"ops\"} 0.0");
        assertThat(metrics)
                .contains(
                        "pipecd_chore_done_timestamp_seconds{chore=\"looking after commands and"
                                + " chains\",pipecd_component=\"ops\"} ")
                .contains(
                        "pipecd_chore_failures_total{chore=\"retention\",pipecd_component=\"ops\"}"
                                + " 0.0\n")
                .contains("pipecd_log_journal_rows{pipecd_component=\"ops\"} 0.0\n")
                .contains("pipecd_log_journal_oldest_seconds{pipecd_component=\"ops\"} 0.0\n");
    }

    /// An order of two days ago that no agent took.
    private static Command forgotten(String id) {
        return Command.newBuilder()
                .setId(id)
                .setPipedId("p1")
                .setProjectId("here")
                .setCreatedAt(1)
                .build();
    }

    private Database.Place place() {
        var places = options().places();
        return Configured.read(places.config(), places.data(), "").database();
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
        return options(folder, "");
    }

    /// Of an ops with the configuration in that folder.
    static OpsOptions options(Path folder, String cache) {
        return new OpsOptions(
                new OpsOptions.Numbers(0, 0),
                new Ports.Settings(
                        Optional.of("127.0.0.1"), Optional.empty(), Duration.ofSeconds(5)),
                new OpsOptions.Places(
                        new GivenFile(
                                "--config-file", folder.resolve("control-plane.yaml").toString()),
                        folder.resolve("data"),
                        cache),
                new ServerOptions.Trust(true, false),
                true);
    }

    /// From its admin port.
    static String get(Ops ops, String path) throws Exception {
        var port = ops.port("admin").orElseThrow();
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
