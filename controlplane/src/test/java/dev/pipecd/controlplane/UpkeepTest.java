// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Samples.line;
import static dev.pipecd.controlplane.World.HERE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.config.ConfigException;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.controlplane.filestore.StageLogStore;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The smaller chores, and what Prometheus is told, with everything behind the ports.
final class UpkeepTest {
    @TempDir private Path folder;
    private World world;
    private Samples.Home home;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void report(String metrics) {
        var _ =
                PipedServiceGrpc.newBlockingStub(world.as(home.agent()))
                        .reportStat(
                                ReportStatRequest.newBuilder()
                                        .setPipedStats(ByteString.copyFromUtf8(metrics))
                                        .build());
    }

    private String scraped() {
        return new String(scrape().text(), UTF_8);
    }

    private Scrape scrape() {
        var metrics = new Metrics(world.features.stores().cache().reads());
        return new Scrape("ops", metrics, world.features);
    }

    @Test
    void withoutADatabaseEverythingElseIsToldAndThatItIsMissing() {
        report("up 1\n");
        var scrape = scrape();
        assertThat(new String(scrape.text(), UTF_8))
                .contains("insight_application_total{")
                .contains(
                        "pipecd_scrape_part_failed{part=\"agents\",pipecd_component=\"ops\"} 0.0\n");

        world.features.stores().database().close();

        assertThat(new String(scrape.text(), UTF_8))
                .contains("jvm_heap_used_bytes{pipecd_component=\"ops\"}")
                .contains(
                        "up{pipecd_component=\"piped\",piped=\"%s\",project=\"here\"} 1\n"
                                .formatted(home.piped().value()))
                .contains(
                        "pipecd_scrape_part_failed{part=\"journal\",pipecd_component=\"ops\"} 1.0\n")
                .contains(
                        "pipecd_scrape_part_failed{part=\"applications\",pipecd_component=\"ops\"} 1.0\n")
                .contains(
                        "pipecd_scrape_part_failed{part=\"agents\",pipecd_component=\"ops\"} 1.0\n")
                .doesNotContain("insight_application_total{");
    }

    @Test
    void whatAnAgentReportsIsToldUnderItsOwnNameAndOurOwnStandsBesideIt() {
        report(
                "# TYPE go_threads gauge\ngo_threads{project=\"elsewhere\",piped_version=\"v1\"} 7\n"
                        + "# TYPE jvm_heap_used_bytes counter\njvm_heap_used_bytes 0\nnonsense\n");

        assertThat(scraped())
                .contains(
                        "go_threads{pipecd_component=\"piped\",piped=\"%s\",piped_version=\"v1\",project=\"here\"} 7\n"
                                .formatted(home.piped().value()))
                .contains("# TYPE jvm_heap_used_bytes gauge\n")
                .contains("jvm_heap_used_bytes{pipecd_component=\"ops\"}")
                .contains(
                        "insight_application_total{app_kind=\"KUBERNETES\",pipecd_component=\"ops\",project=\"here\"} 1.0\n")
                .doesNotContain(
                        "elsewhere", "nonsense", "jvm_heap_used_bytes{pipecd_component=\"piped\"");
    }

    @Test
    void anAgentOfAnotherProjectCanNeitherHideNorCrowdOutWhatOthersTell() {
        var elsewhere = Samples.home(world, World.ELSEWHERE);
        var _ =
                elsewhere
                        .calls()
                        .reportStat(
                                ReportStatRequest.newBuilder()
                                        .setPipedStats(
                                                ByteString.copyFromUtf8(
                                                        "# TYPE deployment_status counter\n"
                                                                + "deployment_status 1\n"
                                                                + "x 1\n".repeat(10_000)))
                                        .build());
        report("# TYPE deployment_status gauge\ndeployment_status 2\n");

        assertThat(scraped())
                .contains("# TYPE deployment_status untyped\n")
                .contains("piped=\"%s\",project=\"here\"} 2\n".formatted(home.piped().value()))
                .contains(
                        "pipecd_scrape_lines_cut{pipecd_component=\"ops\",project=\"here\"} 0.0\n")
                .contains(
                        "pipecd_scrape_lines_cut{pipecd_component=\"ops\",project=\"elsewhere\"} 2.0\n");
    }

    @Test
    void anAgentThatIsSilentOrDisabledIsNotToldOf() {
        report("up 1\n");
        assertThat(scraped()).contains("up{");

        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(3)));
        assertThat(scraped()).doesNotContain("up{");

        report("up 1\n");
        world.features.pipeds().disable(World.person(HERE, "Admin"), home.piped());
        assertThat(scraped()).doesNotContain("up{");
    }

    @Test
    void aReportThatIsTooLargeOnlyTellsThatTheAgentLives() {
        report("up{a=\"" + "x".repeat(600 * 1024) + "\"} 1\n");

        assertThat(scraped()).doesNotContain("up{");
        assertThat(world.features.pipeds().heartbeats().last(home.piped())).isPresent();
    }

    @Test
    void silentAgentsAreForgottenAfterADay() {
        report("up 1\n");
        world.now.updateAndGet(now -> now.plus(Duration.ofHours(25)));

        world.features.pipeds().heartbeats().forget();

        assertThat(world.features.stores().cache().all("HASHKEY:PIPED:STATS")).isEmpty();
        assertThat(world.features.pipeds().heartbeats().last(home.piped())).isEmpty();
    }

    @Test
    void outputsOfCommandsGoAfterTwoDays() throws Exception {
        var old = Files.createDirectories(world.file("command-output")).resolve("old.json");
        Files.writeString(old, "x");
        Files.setLastModifiedTime(old, FileTime.from(world.now.get().minus(Duration.ofHours(49))));
        var young = Files.writeString(world.file("command-output/young.json"), "x");
        Files.setLastModifiedTime(
                young, FileTime.from(world.now.get().minus(Duration.ofHours(47))));

        world.features.commands().forgetOutputs(Turn.ALWAYS);

        assertThat(old).doesNotExist();
        assertThat(young).exists();
    }

    @Test
    void linesThatAKilledServerLeftInTheDatabaseGoToTheBucket() throws Exception {
        var other = Files.createDirectory(folder.resolve("other"));
        var usual = World.settings(other);
        leave(other.resolve("pipecd.db"), StageLogStore.path("d1", "s1", 0), line(1, "a"));
        var settings =
                new Features.Settings(
                        usual.database(),
                        new FileStores.Place(S3Server.bucket(), other),
                        usual.cache(),
                        usual.address(),
                        usual.projects(),
                        usual.releases(),
                        usual.signOn());

        try (var features = Features.open(settings, world.now::get, () -> "id")) {
            Upkeep.chores(features, configured()).forEach(chore -> chore.work().done(Turn.ALWAYS));

            var found = new ArrayList<String>();
            features.stores()
                    .files()
                    .list(FilePath.of("log"), listed -> found.add(listed.path().toString()));
            assertThat(found).containsExactly("log/d1/s1/0/00000001");
        }
    }

    private static void leave(Path database, FilePath log, LogBlock line) throws Exception {
        var lines = new ByteArrayOutputStream();
        line.writeDelimitedTo(lines);
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                var statement =
                        connection.prepareStatement(
                                "INSERT INTO LogJournal (Log, At, Lines) VALUES (?, 0, ?)")) {
            statement.setString(1, log.toString());
            statement.setBytes(2, lines.toByteArray());
            statement.executeUpdate();
        }
    }

    /// Whatever is told of each elsewhere, who leaves it off the list is found here.
    @Test
    void everyChoreIsOnTheListAndDoesItsWork() throws Exception {
        var admin = World.person(HERE, "Admin");
        home.running("old");
        home.complete("old", DeploymentStatus.DEPLOYMENT_FAILURE);
        home.running("lost");
        report("up 1\n");
        var order = orderASync(admin);
        var _ = world.features.apiKeys().generate(admin, "robot", APIKey.Role.READ_ONLY);
        var used = world.now.get().getEpochSecond() + 60;
        var key = world.features.apiKeys().list(admin).getFirst().getId();
        world.features.stores().cache().put("HASHKEY:PIPED:API_KEYS", key, "" + used);
        world.now.updateAndGet(now -> now.plus(Duration.ofHours(25)));
        var output = Files.createDirectories(world.file("command-output")).resolve("x.json");
        Files.writeString(output, "x");
        Files.setLastModifiedTime(output, FileTime.from(Instant.EPOCH));

        var chores = Upkeep.chores(world.features, configured());
        for (var minute = 0; minute < 20; minute++) {
            world.features.pipeds().heartbeats().listen("here");
            chores.forEach(chore -> chore.work().done(Turn.ALWAYS));
            world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(1)));
        }

        assertThat(world.features.commands().get(admin, order).getStatus())
                .isEqualTo(CommandStatus.COMMAND_TIMEOUT);
        assertThat(deployments(admin)).containsExactly("lost DEPLOYMENT_FAILURE");
        assertThat(world.features.apiKeys().list(admin).getFirst().getLastUsedAt()).isEqualTo(used);
        assertThat(output).doesNotExist();
        assertThat(world.features.stores().cache().all("HASHKEY:PIPED:STATS")).isEmpty();
        assertThat(world.file("insights/milestone.json")).exists();
        assertThat(world.file("insights/here/applications/applications.json")).exists();
    }

    private CommandId orderASync(Caller caller) {
        return new CommandId(
                WebServiceGrpc.newBlockingStub(world.as(caller))
                        .syncApplication(
                                SyncApplicationRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .build())
                        .getCommandId());
    }

    private List<String> deployments(Caller caller) {
        return WebServiceGrpc.newBlockingStub(world.as(caller))
                .listDeployments(ListDeploymentsRequest.getDefaultInstance())
                .getDeploymentsList()
                .stream()
                .map(d -> d.getId() + " " + d.getStatus())
                .toList();
    }

    private static ControlPlaneConfig configured() throws ConfigException {
        return Documents.controlPlane(
                        "cp.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: ControlPlane
                        spec:
                          ops: {lostAfter: 10m, retention: {deployments: 48h}}
                        """
                                .getBytes(UTF_8))
                .value();
    }

    private void usedElsewhere(String key, String time) {
        world.features.stores().cache().put("HASHKEY:PIPED:API_KEYS", key, time);
        world.features.apiKeys().usedElsewhere();
    }

    @Test
    void whenAKeyWasUsedIsNotedWhereThePublicServerLooksForIt() {
        var key =
                world.features
                        .apiKeys()
                        .generate(World.person(HERE, "Admin"), "robot", APIKey.Role.READ_ONLY);

        var holder = world.features.apiKeys().verify(key);

        assertThat(world.features.stores().cache().all("HASHKEY:PIPED:API_KEYS"))
                .isEqualTo(Map.of(holder.keyId(), "" + world.now.get().getEpochSecond()));
    }

    @Test
    void questionsToTheCacheAreCountedUnderThePublicName() {
        world.features.stores().cache().put("known", "a", "1");

        var _ = world.features.stores().cache().all("known");
        var _ = world.features.stores().cache().all("unknown");

        assertThat(scraped())
                .containsPattern(
                        "cache_get_operation_total\\{pipecd_component=\"ops\",source=\"inmemory\",status=\"hit\"} [1-9]")
                .containsPattern(
                        "cache_get_operation_total\\{pipecd_component=\"ops\",source=\"inmemory\",status=\"miss\"} [1-9]")
                .contains(
                        "cache_get_operation_total{pipecd_component=\"ops\",source=\"redis\",status=\"hit\"} 0");
    }

    @Test
    void whenAKeyWasUsedAtAPublicServerIsTakenOverAndNeverGoesBack() {
        var admin = World.person(HERE, "Admin");
        var keys = world.features.apiKeys();
        var _ = keys.generate(admin, "robot", APIKey.Role.READ_ONLY);
        var id = keys.list(admin).getFirst().getId();
        var now = world.now.get().getEpochSecond();

        usedElsewhere("unknown", "5");
        usedElsewhere("broken", "x");
        usedElsewhere(id, "" + (now - 10));
        assertThat(keys.list(admin).getFirst().getLastUsedAt()).isEqualTo(now - 10);
        usedElsewhere(id, "" + (now - 20));
        assertThat(keys.list(admin).getFirst().getLastUsedAt()).isEqualTo(now - 10);
        usedElsewhere(id, "99999999999");

        assertThat(keys.list(admin).getFirst().getLastUsedAt()).isEqualTo(now);
    }
}
