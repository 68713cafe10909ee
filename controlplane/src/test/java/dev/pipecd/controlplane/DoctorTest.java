// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.controlplane.cache.RedisProcess;
import dev.pipecd.controlplane.doctor.ClockLook;
import dev.pipecd.controlplane.doctor.Finding;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.controlplane.store.TestDatabases;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("logging") // its commands set it up anew
final class DoctorTest {
    private static final String GOOD = "address: http://localhost:8080";

    @TempDir Path folder;

    @Test
    void whenNothingIsWrongItSaysSo() throws Exception {
        var ran = run(GOOD);

        assertThat(ran.out())
                .contains("config       ok       " + folder.resolve("config.yaml") + " is valid")
                .contains("key          ok       64 bytes")
                .contains("secrets      ok       0 read")
                .contains("database     ok       SQLite file")
                .contains("schema       ok       none yet; the next start makes it")
                .contains("files        ok       folder")
                .contains("cache        ok       this process")
                .contains("clock        skipped  no other clock to compare with")
                .contains("tls          skipped  --tls is not given")
                .contains("releases     ok       looked up at https://api.github.com/")
                .contains("ports        ok       ")
                .endsWith("Ready: nothing is wrong.\n");
        assertThat(ran.code()).isZero();
        assertThat(Files.exists(folder.resolve("data/pipecd.db"))).isFalse();
    }

    @Test
    void realStoresAreTriedAndLeftAsTheyWere() throws Exception {
        var bucket = S3Server.bucket();
        var ran =
                run(
                        "datastore: %s\n  filestore: {type: MINIO, config: {endpoint: '%s', bucket: %s, accessKeyFile: %s, secretKeyFile: %s, autoCreateBucket: true}}"
                                .formatted(
                                        TestDatabases.mariaDb(),
                                        bucket.endpoint(),
                                        bucket.bucket(),
                                        secret("access"),
                                        secret("secret-secret")),
                        "--cache-address=" + RedisProcess.database(),
                        "--timeout=2m");

        assertThat(ran.out())
                .containsPattern("database     ok       MariaDB .* at 127.0.0.1:")
                .contains("schema       ok       none yet; the next start makes it")
                .contains(
                        "files        ok       bucket %s is not there; the next start makes it"
                                .formatted(bucket.bucket()))
                .containsPattern("cache        ok       Redis [\\d.]+ at 127.0.0.1:")
                .contains(
                        "clock        ok       this machine's clock is with the database's clock");
        assertThat(ran.code()).isZero();
    }

    @Test
    void aDatabaseThatServersShareWithoutACacheThatTheyShareIsAWarning() throws Exception {
        var ran = run("datastore: " + TestDatabases.mariaDb(), "--timeout=2m");

        assertThat(ran.out())
                .contains(
                        "cache        warning  this process, beside a database that servers may"
                                + " share")
                .contains("-> Name a Redis with --cache-address or cache.address before a second")
                .endsWith("Ready, with 1 warning(s).\n");
        assertThat(ran.code()).isZero();
    }

    @Test
    void everyMistakeOfTheConfigurationIsToldAndTheRestIsLookedAtAsFarAsCanBe() throws Exception {
        var ran = run("adress: x\n  projects: 3");

        assertThat(ran.out())
                .contains("config       FAILED   ")
                .contains("did you mean \"address\"?")
                .contains("spec.projects")
                .contains("-> Correct the lines named and try again.")
                .contains("database     skipped  the configuration cannot be read")
                .contains("key          ok       64 bytes")
                .endsWith("1 of 11 checks failed; a server would not start or not serve.\n");
        assertThat(ran.code()).isEqualTo(1);
    }

    @Test
    void whatHasNoEffectIsAWarning() throws Exception {
        var ran = run("filestore: {type: LOCAL, config: {path: %s, pth: x}}".formatted(folder));

        assertThat(ran.out())
                .contains("config       warning  ")
                .contains("did you mean \"path\"?")
                .endsWith("Ready, with 1 warning(s).\n");
        assertThat(ran.code()).isZero();
    }

    @Test
    void aKeyThatIsTooShortIsFound() throws Exception {
        Files.writeString(folder.resolve("key"), "short");

        assertFailed(run(GOOD), "key", "5 bytes (expected: at least 32)", "openssl rand 64");
    }

    @Test
    void aSecretThatIsNotSetIsFound() throws Exception {
        assertFailed(
                run("webhook: {secret: env:PIPECD_NO_SUCH_VARIABLE}"),
                "secrets",
                "spec.webhook.secret: env:PIPECD_NO_SUCH_VARIABLE",
                "Set it where this process starts.");
    }

    @Test
    void aPasswordThatIsNoHashIsFound() throws Exception {
        var ran = run("projects: [{id: a, staticAdmin: {username: u, passwordHash: hello}}]");

        assertThat(ran.out())
                .contains("secrets      warning  staticAdmin.passwordHash of a: no bcrypt hash")
                .doesNotContain("hello");
    }

    @Test
    void aDatabaseThatIsAwayIsFound() throws Exception {
        var ran =
                run(
                        "datastore: {type: MYSQL, config: {url: 'u:hidden@tcp(127.0.0.1:1)', database: d}}");

        assertFailed(
                ran,
                "database",
                "datastore: 127.0.0.1:1/d does not answer",
                "Check that it runs, its address");
        assertThat(ran.out()).doesNotContain("hidden").contains("clock        skipped");
    }

    @Test
    void aDatabaseThatRefusesUsIsFound() throws Exception {
        var ran =
                run(
                        "datastore: "
                                + TestDatabases.mariaDb()
                                        .replaceFirst("url: \"[^@]*@", "url: \"nobody:hidden@"));

        assertFailed(ran, "database", "refuses user \"nobody\"", "GRANT ALL ON");
        assertThat(ran.out()).doesNotContain("hidden");
    }

    @Test
    void aDatabaseThatIsNotThereIsNamed() throws Exception {
        var ran =
                run(
                        "datastore: "
                                + TestDatabases.mariaDb()
                                        .replaceFirst("database: \\w+", "database: nowhere"));

        assertFailed(
                ran,
                "database",
                "datastore.config.database: \"nowhere\" (expected: a database of ",
                "CREATE DATABASE");
    }

    @Test
    void aSchemaOfANewerServerIsFound() throws Exception {
        var file = folder.resolve("newer.db");
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var statement = connection.createStatement()) {
            statement.execute("PRAGMA user_version = 99");
        }

        assertFailed(
                run("datastore: {type: SQLITE, config: {path: %s}}".formatted(file)),
                "schema",
                "schema 99 (expected: at most ",
                "It was written by a newer server; start that one.");
    }

    @Test
    void aFileThatIsNoDatabaseIsFound() throws Exception {
        var file = Files.writeString(folder.resolve("text.db"), "no database at all".repeat(100));

        assertFailed(
                run("datastore: {type: SQLITE, config: {path: %s}}".formatted(file)),
                "database",
                "expected: a SQLite file",
                "Check path, owner and mode");
    }

    @Test
    void aFolderThatCannotBeWrittenIsFound() throws Exception {
        var file = Files.writeString(folder.resolve("file"), "");

        assertFailed(
                run("filestore: {type: LOCAL, config: {path: %s}}".formatted(file.resolve("sub"))),
                "files",
                "expected: a folder this process may write",
                "Create it and give it to the user");
    }

    @Test
    void aBucketThatIsNotThereIsFound() throws Exception {
        var ran =
                run(
                        "filestore: {type: MINIO, config: {endpoint: '%s', bucket: nowhere, accessKeyFile: %s, secretKeyFile: %s}}"
                                .formatted(S3Server.address(), secret("access"), secret("hidden")));

        assertFailed(ran, "files", "NoSuchBucket", "Create the bucket");
        assertThat(ran.out()).doesNotContain("hidden");
    }

    @Test
    void aCacheThatIsAwayIsFound() throws Exception {
        var ran = run(GOOD, "--cache-address=redis://u:hidden@127.0.0.1:1/0");

        assertFailed(ran, "cache", "cache: 127.0.0.1:1 (expected: a Redis", "--cache-address");
        assertThat(ran.out()).doesNotContain("hidden");
    }

    @Test
    void aPortThatIsTakenIsFound() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFailed(
                    run(GOOD, "--http-port=" + other.getLocalPort()),
                    "ports",
                    "--http-port: %d (expected: free".formatted(other.getLocalPort()),
                    "Stop the process that listens there");
        }
    }

    @Test
    void aPortThatNoMachineHasIsFound() throws Exception {
        assertFailed(
                run(GOOD, "--http-port=99999"),
                "ports",
                "--http-port: 99999 (expected: 0 to 65535)",
                "Give another port");
    }

    @Test
    void theOwnersPortThatIsTakenIsFound() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertFailed(
                    run(
                            GOOD
                                    + "\n  ops: {port: %d, owner: {username: o, passwordHash: h}}"
                                            .formatted(other.getLocalPort())),
                    "ports",
                    "ops.port: %d (expected: free".formatted(other.getLocalPort()),
                    "or in the configuration");
        }
    }

    @Test
    void portsOfAControlPlaneThatRunsAreNoFault() throws Exception {
        try (var server = RunningServer.start()) {
            var ran =
                    run(
                            GOOD,
                            "--http-port=" + server.port("HTTP"),
                            "--admin-port=" + server.port("admin"),
                            "--timeout=2m");

            assertThat(ran.out())
                    .contains("in use by the control plane that runs here (v")
                    .endsWith("Ready: nothing is wrong.\n");
        }
    }

    @Test
    void whatHangsIsNotWaitedForLongerThanTheLimit() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var ran =
                    run(
                            "datastore: {type: MYSQL, config: {url: 'u:p@tcp(127.0.0.1:%d)', database: d}}"
                                    .formatted(silent.getLocalPort()),
                            "--timeout=1s");

            assertFailed(ran, "database", "no answer within 1 s", "--timeout");
        }
    }

    @Test
    void programsAreToldInJson() throws Exception {
        Files.writeString(folder.resolve("key"), "short");

        var ran = run(GOOD, "-o", "json");

        var told = new ObjectMapper().readTree(ran.out());
        assertThat(told.get("failed").asInt()).isEqualTo(1);
        assertThat(told.get("checks"))
                .extracting(check -> check.get("check").asText())
                .containsExactly(
                        "config",
                        "key",
                        "secrets",
                        "database",
                        "schema",
                        "files",
                        "cache",
                        "clock",
                        "tls",
                        "releases",
                        "ports");
        var key = told.get("checks").get(1);
        assertThat(text(key, "state")).isEqualTo("failed");
        assertThat(text(key, "found"))
                .isEqualTo("--encryption-key-file: 5 bytes (expected: at least 32)");
        assertThat(text(key, "advice")).isEqualTo("Make one with `openssl rand 64 | base64`.");
        assertThat(ran.code()).isEqualTo(1);
    }

    private static String text(JsonNode of, String field) {
        return of.get(field).asText();
    }

    @Test
    void clocksThatDisagreeAreToldByHowMuch() {
        assertThat(clock(Duration.ofSeconds(1), Duration.ofMillis(-400)))
                .isEqualTo(
                        Finding.ok(
                                "this machine's clock is 1 s behind the database's clock, with the bucket's clock"));
        assertThat(clock(Duration.ofSeconds(-20), Duration.ZERO).state())
                .isEqualTo(Finding.State.WARNING);
        assertThat(clock(Duration.ZERO, Duration.ofMinutes(-2)))
                .isEqualTo(
                        Finding.failed(
                                "this machine's clock is with the database's clock, 120 s ahead of the bucket's clock",
                                "Let all machines keep time by NTP (timedatectl, chronyc tracking)."));
    }

    private static Finding clock(Duration database, Duration bucket) {
        return new ClockLook(
                        List.of(
                                new ClockLook.Source("database", () -> Optional.of(database)),
                                new ClockLook.Source("bucket", () -> Optional.of(bucket))))
                .now();
    }

    @Test
    void itsHelpTellsTheExitCodes() {
        var out = new StringWriter();
        var line = Pipecd.commandLine().setOut(new PrintWriter(out, true));

        assertThat(GoFlags.run(line, "doctor", "--help")).isZero();

        assertThat(out.toString())
                .contains("Usage: pipecd doctor")
                .contains("Exit codes: 0 a server can start");
    }

    private static void assertFailed(Ran ran, String check, String found, String advice) {
        assertThat(ran.out())
                .containsPattern("(?m)^" + check + " +FAILED +.*")
                .contains(found)
                .contains(advice);
        assertThat(ran.code()).isEqualTo(1);
    }

    private Path secret(String text) throws IOException {
        return Files.writeString(folder.resolve(text + ".secret"), text);
    }

    /// Nothing else of this machine is looked at: all ports are free ones.
    private Ran run(String spec, String... flags) throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("config.yaml"),
                        "apiVersion: pipecd.dev/v1beta1\nkind: ControlPlane\nspec:\n  %s\n"
                                .formatted(spec));
        var key = folder.resolve("key");
        if (!Files.exists(key)) Files.writeString(key, "k".repeat(64));
        var args =
                new ArrayList<>(
                        List.of(
                                "doctor",
                                "--log-level=error",
                                "--config-file=" + file,
                                "--encryption-key-file=" + key,
                                "--data-dir=" + folder.resolve("data"),
                                "--host=127.0.0.1"));
        for (var port :
                List.of("gateway", "piped-api", "web-api", "http", "api", "admin", "envoy-authz"))
            if (List.of(flags).stream().noneMatch(f -> f.startsWith("--" + port + "-port")))
                args.add("--" + port + "-port=0");
        args.addAll(List.of(flags));
        var out = new StringWriter();
        var line = Pipecd.commandLine().setOut(new PrintWriter(out, true));
        return new Ran(GoFlags.run(line, args.toArray(String[]::new)), out.toString());
    }

    private record Ran(int code, String out) {}
}
