// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.pipecd.agent.proxy.SmallProxy;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramsTest {
    @TempDir Path home;
    SmallRegistry server;

    @BeforeEach
    void setUp() throws IOException {
        server = new SmallRegistry();
    }

    @AfterEach
    void tearDown() {
        server.close();
    }

    @Test
    void aFileIsCopiedUnderItsChecksumAndAChangedOneTakesEffect() throws Exception {
        var file = Files.writeString(home.resolve("plugin"), "one");

        var first = bring(plugin(file.toString()));
        Files.writeString(file, "two");
        var second = bring(plugin(file.toUri().toString()));

        assertThat(first.file())
                .isEqualTo(home.resolve("programs/sha256-" + Checksum.of("one").hex() + "/wait"))
                .hasContent("one")
                .isExecutable();
        assertThat(second.file()).hasContent("two");
        assertThat(second.checksum()).isEqualTo(Checksum.of("two"));
    }

    @Test
    void anAddressIsAskedOnceUnlessItIsToBeAskedAnew() throws Exception {
        server.put("/v1", "one").put("/v2", "two");

        assertThat(bring(plugin(server.url("/v1"))).file()).hasContent("one");
        assertThat(bring(plugin(server.url("/v1"))).file()).hasContent("one");
        assertThat(server.asked).containsExactly("/v1");
        assertThat(bring(plugin(server.url("/v2"))).file()).hasContent("two");
        server.put("/v1", "one, mended");
        assertThat(programs(true).bring(plugin(server.url("/v1")), _ -> {}).file())
                .hasContent("one, mended");
    }

    /// As when the plugin crashes and is started again.
    @Test
    void whatWasAskedAnewIsNotAskedForOnceMoreByTheSameAgent() throws Exception {
        server.put("/plugin", "one");
        server.push("wait", "v1", Map.of(Platform.architecture(), "two"));
        var programs = programs(true);
        for (var url : List.of(server.url("/plugin"), "oci://" + server.host() + "/wait:v1")) {
            var first = programs.bring(plugin(url), _ -> {});
            server.asked.clear();

            assertThat(programs.bring(plugin(url), _ -> {})).isEqualTo(first);

            // Whether a tag has moved is asked, its program not fetched.
            assertThat(server.asked).doesNotContain("/plugin").noneMatch(s -> s.contains("blobs"));

            Files.writeString(first.file(), "changed on the disk");
            assertThat(programs.bring(plugin(url), _ -> {})).isEqualTo(first);
            assertThat(server.asked).anyMatch(s -> s.equals("/plugin") || s.contains("blobs"));
        }
    }

    @Test
    void aPinnedProgramIsTakenFromTheShelfAndRefusedWhenItIsAnother() throws Exception {
        server.put("/plugin", "good");
        var pinned = plugin(server.url("/plugin"), "sha256:" + Checksum.of("good").hex());
        assertThat(bring(pinned).file()).hasContent("good");
        server.put("/plugin", "evil");
        server.asked.clear();

        assertThat(bring(pinned).file()).hasContent("good");
        assertThat(server.asked).isEmpty();
        var moved = plugin(server.url("/plugin"), Checksum.of("other").hex());
        assertThatThrownBy(() -> bring(moved))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "checksum: %s of %s (expected: %s)"
                                .formatted(
                                        Checksum.of("evil"),
                                        server.url("/plugin"),
                                        Checksum.of("other")));
        assertThat(halves()).isEmpty();
    }

    @Test
    void programsAndAddressesOfAnOlderConfigurationAreTakenAway() throws Exception {
        server.put("/v1", "one").put("/v2", "two");
        bring(plugin(server.url("/v1")));
        var used = plugin(server.url("/v2"));
        var now = bring(used);

        programs(false).tidy(List.of(used), List.of(now));

        try (var left = Files.list(home.resolve("programs"))) {
            assertThat(left)
                    .containsExactlyInAnyOrder(
                            now.file().getParent(), home.resolve("programs/addresses"));
        }
        try (var notes = Files.list(home.resolve("programs/addresses"))) {
            assertThat(notes).hasSize(1);
        }
        server.asked.clear();
        assertThat(bring(used).file()).hasContent("two");
        assertThat(server.asked).isEmpty();
    }

    @Test
    void aTornDownloadIsNeverRunAndLeavesNothing() throws Exception {
        server.put("/plugin", "x".repeat(100_000));
        server.tearAfter(50_000);

        assertThatThrownBy(() -> bring(plugin(server.url("/plugin"))))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("cannot be fetched");
        assertThat(halves()).isEmpty();

        server.tearAfter(-1);
        assertThat(bring(plugin(server.url("/plugin"))).file()).hasSize(100_000);
    }

    @Test
    void whatAKilledAgentLeftHalfFetchedIsTakenAway() throws Exception {
        Files.createDirectories(home.resolve("programs"));
        Files.writeString(home.resolve("programs/half-123"), "half");

        programs(false).sweep();

        assertThat(halves()).isEmpty();
    }

    @Test
    void aProgramThatWasChangedOnTheShelfIsFetchedAgain() throws Exception {
        server.put("/plugin", "good");
        var file = bring(plugin(server.url("/plugin"))).file();
        Files.writeString(file, "half of it");

        assertThat(bring(plugin(server.url("/plugin"))).file()).hasContent("good");
    }

    @Test
    void aServerThatGetsStuckIsGivenUp() {
        server.put("/plugin", "x".repeat(100_000));
        server.tearAfter(10);
        server.getStuck();

        assertThatThrownBy(() -> bring(plugin(server.url("/plugin"), "", Duration.ofMillis(500))))
                .hasMessage(
                        "url: %s is not fetched within 0 s (expected: a faster answer)"
                                .formatted(server.url("/plugin")));
    }

    @Test
    void aRedirectIsFollowedButTakesNoPasswordAlong() throws Exception {
        try (var elsewhere = new SmallRegistry()) {
            elsewhere.put("/there", "moved");
            server.redirect("/plugin", elsewhere.url("/there"));

            assertThat(bring(withPassword(server.url("/plugin"))).file()).hasContent("moved");
            assertThat(server.asked).containsExactly("/plugin Basic YW5uOnNlY3JldA==");
            assertThat(elsewhere.asked).containsExactly("/there");
        }
    }

    @Test
    void aMissingProgramIsTold() {
        assertThatThrownBy(() -> bring(plugin(server.url("/nothing"))))
                .hasMessage(server.url("/nothing") + ": answers 404 (expected: 200)");
    }

    @Test
    void aRegistryGivesThePartMadeForThisMachineAndAMovedTagTakesEffect() throws Exception {
        server.push("team/wait", "v1", Map.of("sparc", "no", Platform.architecture(), "one"));
        var url = "oci://" + server.host() + "/team/wait:v1";

        assertThat(bring(plugin(url)).file()).hasContent("one");
        server.asked.clear();
        assertThat(bring(plugin(url)).file()).hasContent("one");
        assertThat(server.asked)
                .as("the program itself is not fetched again")
                .noneMatch(path -> path.contains("/blobs/"));
        server.push("team/wait", "v1", Map.of(Platform.architecture(), "two"));
        assertThat(bring(plugin(url)).file()).hasContent("two");
    }

    @Test
    void aRegistryThatIsAwayDoesNotKeepDownWhatRanBefore() throws Exception {
        server.push("wait", "latest", Map.of(Platform.architecture(), "one"));
        var url = "oci://" + server.host() + "/wait";
        bring(plugin(url));
        server.remove("/v2/wait/manifests/latest");

        assertThat(bring(plugin(url)).file()).hasContent("one");
    }

    @Test
    void aDigestIsHeldToAndThenNotAskedForAgain() throws Exception {
        var digest = server.push("wait", "v1", Map.of(Platform.architecture(), "one"));
        var url = "oci://" + server.host() + "/wait@" + digest;

        assertThat(bring(plugin(url)).file()).hasContent("one");
        server.asked.clear();
        assertThat(bring(plugin(url)).file()).hasContent("one");
        assertThat(server.asked).isEmpty();

        var other = "sha256:" + "0".repeat(64);
        server.put("/v2/wait/manifests/" + other, "{}");
        assertThatThrownBy(() -> bring(plugin("oci://" + server.host() + "/wait@" + other)))
                .hasMessageContaining("(expected: what its digest says)");
    }

    @Test
    void aLayerThatIsNotWhatItsDigestSaysIsRefused() {
        server.push("wait", "v1", Map.of(Platform.architecture(), "one"));
        server.put("/v2/wait/blobs/" + Checksum.of("one"), "two");

        assertThatThrownBy(() -> bring(plugin("oci://" + server.host() + "/wait:v1")))
                .hasMessageContaining("is " + Checksum.of("two"));
    }

    @Test
    void aRegistryIsShownUserAndPasswordInEitherWay() throws Exception {
        server.push("wait", "v1", Map.of(Platform.architecture(), "one"));
        server.demand("Basic YW5uOnNlY3JldA==", "Basic realm=\"r\"");
        var url = "oci://" + server.host() + "/wait:v1";

        assertThatThrownBy(() -> bring(plugin(url)))
                .hasMessageContaining("answers 401 (expected: 200)");
        assertThat(bring(withPassword(url)).file()).hasContent("one");

        server.put("/token", "{\"token\": \"t0\"}");
        server.demand(
                "Bearer t0", "Bearer realm=\"%s\",service=\"s\"".formatted(server.url("/token")));
        server.push("wait", "v1", Map.of(Platform.architecture(), "two"));
        assertThat(bring(withPassword(url)).file()).hasContent("two");
        assertThat(server.asked).contains("/token Basic YW5uOnNlY3JldA==");
    }

    @Test
    void aRegistryThatSendsForATokenNowhereIsTold() throws Exception {
        server.push("wait", "v1", Map.of(Platform.architecture(), "one"));
        var url = "oci://" + server.host() + "/wait:v1";
        for (var challenge :
                List.of(
                        "Bearer service=\"s\"",
                        "Bearer realm=\"\"",
                        "Bearer realm=\"/token\"",
                        "Bearer realm=\"http:// /\"")) {
            server.demand("Bearer t", challenge);

            assertThatThrownBy(() -> bring(plugin(url)))
                    .as(challenge)
                    .isInstanceOf(Problem.class)
                    .hasMessage(
                            server.url("/v2/wait/manifests/v1")
                                    + ": sends for a token nowhere (expected: a challenge with a realm)");
        }
    }

    @Test
    void aRealmWithAQuestionOfItsOwnKeepsIt() throws Exception {
        server.push("wait", "v1", Map.of(Platform.architecture(), "one"));
        server.put("/token", "{\"token\": \"t\"}");
        server.demand(
                "Bearer t",
                "Bearer realm=\"%s\",service=\"s\"".formatted(server.url("/token?account=a")));

        assertThat(bring(plugin("oci://" + server.host() + "/wait:v1")).file()).hasContent("one");

        assertThat(server.queries)
                .containsExactly("account=a&service=s&scope=repository:wait:pull");
    }

    @Test
    void anArtifactForOtherMachinesIsToldWithTheirNames() {
        server.push("wait", "v1", Map.of("sparc", "no"));

        assertThatThrownBy(() -> bring(plugin("oci://" + server.host() + "/wait:v1")))
                .hasMessageContaining(
                        "made for [linux/sparc] (expected: also for linux/%s)"
                                .formatted(Platform.architecture()));
    }

    @Test
    void aProgramIsFetchedThroughTheProxy() throws Exception {
        server.put("/plugin", "one");
        var programs =
                new Programs(home.resolve("programs"), Map.of("HTTP_PROXY", server.url("")), false);

        assertThat(programs.bring(plugin("http://plugins.example/plugin"), _ -> {}).file())
                .hasContent("one");
        assertThat(server.asked).containsExactly("/plugin");
    }

    @Test
    void aProgramIsFetchedThroughAProxyThatWantsAPassword() throws Exception {
        try (var proxy = new SmallProxy("ann:pass", 1)) {
            var environment = Map.of("HTTP_PROXY", proxy.url("ann:pass"));
            var programs = new Programs(home.resolve("programs"), environment, false);

            assertThat(programs.bring(plugin("http://plugins.example/plugin"), _ -> {}).file())
                    .hasContent(SmallProxy.ANSWER);
        }
    }

    @Test
    void howFarADownloadIsIsToldNowAndThen() throws Exception {
        var told = new ArrayList<String>();
        var now = new AtomicLong();
        var content = new ByteArrayInputStream(new byte[3_000_000]);

        try (var coming = new Progress(content, "https://x/y", 3_000_000, told::add, now::get)) {
            coming.readNBytes(1_000_000);
            now.addAndGet(Duration.ofSeconds(3).toNanos());
            coming.readNBytes(1);
            coming.readNBytes(999_999);
            now.addAndGet(Duration.ofSeconds(3).toNanos());
            coming.readNBytes(1_000_000);
        }

        assertThat(told)
                .containsExactly(
                        "is being fetched from https://x/y: 1.0 of 3.0 MB",
                        "is being fetched from https://x/y: 2.0 of 3.0 MB");
    }

    private List<Path> halves() throws IOException {
        try (var files = Files.list(home.resolve("programs"))) {
            return files.filter(f -> f.getFileName().toString().startsWith("half-")).toList();
        }
    }

    private Programs programs(boolean anew) {
        return new Programs(home.resolve("programs"), Map.of(), anew);
    }

    private Programs.Program bring(PipedConfig.Plugin plugin)
            throws IOException, InterruptedException {
        return programs(false).bring(plugin, _ -> {});
    }

    private static PipedConfig.Plugin plugin(String url) {
        return plugin(url, "");
    }

    private static PipedConfig.Plugin plugin(String url, String checksum) {
        return plugin(url, checksum, Duration.ofMinutes(1));
    }

    private static PipedConfig.Plugin plugin(String url, String checksum, Duration limit) {
        return plugin(url, new PipedConfig.Origin(checksum, "", Secret.written("", ""), limit));
    }

    private static PipedConfig.Plugin withPassword(String url) {
        return plugin(
                url,
                new PipedConfig.Origin(
                        "", "ann", Secret.written("password", "secret"), Duration.ofMinutes(1)));
    }

    private static PipedConfig.Plugin plugin(String url, PipedConfig.Origin origin) {
        return new PipedConfig.Plugin(
                "wait",
                url,
                0,
                NullNode.getInstance(),
                List.of(),
                origin,
                new PipedConfig.Running(10, false));
    }
}
