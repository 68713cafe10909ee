// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.HERE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.ops.Turn;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportStatRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
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
        return new String(
                Scrape.text(
                        "ops",
                        new Metrics(world.features.stores().cache().reads()),
                        world.features),
                UTF_8);
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
