// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.admin.HealthSource.Part;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.notify.Receivers;
import dev.pipecd.agent.notify.Sender;
import dev.pipecd.agent.plugin.PluginSettings;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.LeaseHolder;
import dev.pipecd.agent.report.LeaseNote;
import dev.pipecd.agent.report.LeaseOffice;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.run.Gate;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.run.PluginStages;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Deployment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentHealthTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: localhost:8080
            """;

    @TempDir Path directory;

    private final InstantSource clock = InstantSource.fixed(Instant.EPOCH);
    private Ledger ledger;
    private ControlPlaneClient controlPlane;
    private Outbox outbox;
    private Repositories repositories;
    private Plugins plugins;
    private Runs runs;
    private AgentHealth health;

    @BeforeEach
    void start() throws Exception {
        ledger = Ledger.open(directory.resolve("journal"));
        controlPlane =
                new ControlPlaneClient(
                        "127.0.0.1:1",
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("agent"),
                        "key");
        outbox = new Outbox(ledger, controlPlane, clock);
        repositories =
                new Repositories(
                        directory,
                        List.of(),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        clock);
        plugins =
                new Plugins(
                        new PluginSettings(
                                directory,
                                List.of(),
                                List.of(),
                                0,
                                Timing.USUAL,
                                100,
                                Notifier.NOBODY),
                        new Programs(directory.resolve("programs"), Map.of(), false),
                        new Tools(
                                directory.resolve("tools"),
                                new PipedConfig.Tools("", false, Map.of()),
                                Duration.ofSeconds(1)),
                        new PluginDesk(() -> runs, new SharedObjects(controlPlane)),
                        new SecureRandom());
        var files = new ApplicationFiles(repositories);
        runs =
                new Runs(
                        outbox,
                        _ -> {
                            throw new IllegalStateException("not planned here");
                        },
                        Gate.OPEN,
                        new PluginStages(
                                files,
                                new Sources(
                                        repositories,
                                        files,
                                        directory.resolve("work"),
                                        new Unsealing(new Secrets(new SecretManagement.Unset())),
                                        Set.of()),
                                plugins,
                                repositories),
                        () -> {
                            throw new IllegalStateException("the clock stands still");
                        },
                        Notifier.NOBODY,
                        _ -> {});
        var lease =
                new Lease(
                        LeaseOffice.at(controlPlane, Duration.ofMinutes(2)),
                        new LeaseNote(directory.resolve("lease")),
                        new LeaseHolder(Duration.ofMinutes(2), "here", "1"),
                        () -> 0,
                        clock);
        health = new AgentHealth(plugins, repositories, controlPlane, lease, outbox, ledger, runs);
    }

    @AfterEach
    void stop() throws Exception {
        runs.close();
        plugins.close();
        repositories.close();
        outbox.close();
        controlPlane.close();
        ledger.close();
    }

    /// What an agent always has; in the order it is told in.
    @Test
    void theGuidesSampleHasEveryPart() throws Exception {
        var guide = Files.readString(Path.of("../docs/guides/agent.md"));
        var sample = guide.substring(guide.indexOf("/healthz\n{") + "/healthz\n".length());

        var shown = new ObjectMapper().readTree(sample.substring(0, sample.indexOf("```")));

        assertThat(shown.fieldNames())
                .toIterable()
                .containsExactly("ok", "controlPlane", "journal", "lease", "plugin", "repository")
                .containsAll(health.parts().stream().map(Part::kind).toList());
    }

    @Test
    void aPluginThatDoesNotExistIsToldButNoReasonToRestartTheAgent() {
        var missing =
                new PluginHealth("kubernetes", false, "builtin: \"kubernetes\"", "Take it out.");

        assertThat(AgentHealth.plugin(missing, true))
                .isEqualTo(
                        new Part(
                                "missingPlugin",
                                "kubernetes",
                                true,
                                "builtin: \"kubernetes\"",
                                "Take it out."));
        assertThat(AgentHealth.plugin(missing, false).ok()).isFalse();
    }

    @Test
    void metricsCarryThePublicLabelsDeploymentsAndPreviews() {
        try (var receivers = receivers()) {
            var metrics = metrics(receivers);
            runs.open(deployment("d1", "shop"), List.of());
            metrics.received();
            metrics.handled(true, Duration.ofSeconds(20));

            assertThat(metrics.text())
                    .containsPattern(
                            "deployment_status\\{application_id=\"a1\",application_kind=\"KUBERNETES\",application_name=\"shop\",deployment=\"d1\",launcher_version=\"2.0\",pipecd_component=\"piped\",piped=\"i\",piped_version=\"[^\"]+\",platform_provider=\"\",project=\"p\",status=\"DEPLOYMENT_PENDING\"\\} 1.0")
                    .containsPattern("plan_preview_command_received_total\\{[^}]*\\} 1.0")
                    .containsPattern(
                            "plan_preview_command_handled_total\\{[^}]*status=\"success\"\\} 1.0")
                    .containsPattern(
                            "plan_preview_command_handling_seconds_bucket\\{[^}]*status=\"success\",le=\"10.0\"\\} 0")
                    .containsPattern(
                            "plan_preview_command_handling_seconds_bucket\\{[^}]*status=\"success\",le=\"30.0\"\\} 1");
            assertThat(metrics.heartbeat())
                    .asString(StandardCharsets.UTF_8)
                    .contains("deployment=\"d1\"");
            assertThat(metrics.shown(false).get()).isEmpty();
        }
    }

    @Test
    void deploymentsThatWouldBeTooMuchForAServerAreToldAsANumber() {
        try (var receivers = receivers()) {
            var metrics = metrics(receivers);
            for (var i = 0; i < 1_001; i++) runs.open(deployment("d" + i, "shop"), List.of());

            assertThat(metrics.heartbeat())
                    .asString(StandardCharsets.UTF_8)
                    .containsPattern(
                            "deployment_status\\{application_id=\"\",[^}]*deployment=\"\",[^}]*status=\"DEPLOYMENT_PENDING\"\\} 1001.0")
                    .containsPattern("piped_deployments_active\\{[^}]*\\} 1001.0")
                    .doesNotContain("deployment=\"d");
            assertThat(metrics.text())
                    .contains("deployment=\"d0\"", "deployment=\"d1000\"")
                    .doesNotContain("deployment=\"\"");
        }
    }

    @Test
    void deploymentsWithLongNamesAreToldAsANumberEarlier() {
        try (var receivers = receivers()) {
            var metrics = metrics(receivers);
            for (var i = 0; i < 3; i++)
                runs.open(deployment("d" + i, "ü".repeat(50_000)), List.of());

            assertThat(metrics.heartbeat())
                    .hasSizeLessThan(256 * 1024)
                    .asString(StandardCharsets.UTF_8)
                    .containsPattern("deployment_status\\{[^}]*\\} 3.0");
        }
    }

    private AgentMetrics metrics(Receivers receivers) {
        return new AgentMetrics(runs, outbox, ledger, plugins, receivers, config(), "2.0");
    }

    private Receivers receivers() {
        return new Receivers(
                config().additions().notifications(),
                Sender.of(config().identity(), "1.0", () -> ""),
                new ProxyByEnvironment(Map.of()),
                () -> "n1",
                clock);
    }

    private static PipedConfig config() {
        return Documents.piped("piped.yaml", PIPED.getBytes(StandardCharsets.UTF_8)).value();
    }

    private static Deployment deployment(String id, String name) {
        return Deployment.newBuilder()
                .setId(id)
                .setApplicationId("a1")
                .setApplicationName(name)
                .build();
    }

    @Test
    void aJournalThatTakesWhatIsDecidedIsWell() {
        assertThat(health.parts())
                .contains(
                        new Part(
                                "journal",
                                directory.resolve("journal/journal").toString(),
                                true,
                                "what is decided is on the disk",
                                ""));
    }

    @Test
    void aDeploymentWhoseWalkBrokeOffIsNotWellAndSaysWhatToDo() {
        runs.open(deployment("d1", "shop"), List.of());

        await().atMost(Duration.ofMinutes(1)).until(() -> !runs.faults().isEmpty());
        assertThat(health.parts())
                .contains(
                        new Part(
                                "deployment",
                                "d1 of shop",
                                false,
                                "its walk broke off by a fault of the agent: java.lang.IllegalStateException: the clock"
                                        + " stands still",
                                "A fault of the agent, not of the deployment: restart the agent, which goes on from the"
                                        + " journal; if it comes again, report it with the agent's log."));
    }
}
