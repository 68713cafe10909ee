// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.plugin.PlannedOwner;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // the public protocol still carries kind and provider
final class OpeningTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: localhost:8080
              platformProviders:
                - {name: shared, type: KUBERNETES}
                - {name: shared, type: TERRAFORM}
            """;

    @Test
    void theProviderOfAnOldRegistrationIsADeployTarget() {
        assertThat(targets(old(ApplicationKind.TERRAFORM, "shared")))
                .isEqualTo(Map.of("terraform", shared()));
        assertThat(targets(old(ApplicationKind.KUBERNETES, "shared")))
                .isEqualTo(Map.of("kubernetes", shared()));
    }

    @Test
    void aProviderNobodyKnowsIsNone() {
        assertThat(targets(old(ApplicationKind.KUBERNETES, "other"))).isEmpty();
        assertThat(targets(old(ApplicationKind.ECS, "shared"))).isEmpty();
    }

    @Test
    void aProviderNobodyKnowsFailsThePlanThatNeedsIt() {
        var planned = planned(old(ApplicationKind.KUBERNETES, "prod"), "kubernetes");

        assertThatThrownBy(() -> opening().reaching(planned))
                .hasMessage("platform provider: \"prod\" (expected: one of shared)")
                .extracting(e -> ((Problem) e).advice())
                .isEqualTo(
                        "Correct it where the application is registered, or add the provider to the agent's configuration.");
    }

    /// Who registers one with `pipectl` has to name a provider, also where none is needed.
    @Test
    void aProviderNobodyKnowsIsNoMatterToStagesOfOthers() {
        var planned = planned(old(ApplicationKind.KUBERNETES, "prod"), "scriptrun");

        assertThat(opening().reaching(planned)).isEqualTo(planned);
    }

    @Test
    void oneWithDeployTargetsReachesThem() {
        var placed =
                old(ApplicationKind.KUBERNETES, "prod").toBuilder()
                        .putDeployTargetsByPlugin("kubernetes", shared())
                        .build();
        var planned = planned(placed, "kubernetes");

        assertThat(opening().reaching(planned)).isEqualTo(planned);
    }

    @Test
    void aDeploymentOfAnOlderAgentIsAimedAtItsProvider() {
        var older =
                Deployment.newBuilder()
                        .setKind(ApplicationKind.TERRAFORM)
                        .setPlatformProvider("shared")
                        .build();

        assertThat(opening().aimed(older).getDeployTargetsByPluginMap())
                .isEqualTo(Map.of("terraform", shared()));
    }

    @Test
    void deployTargetsComeFirst() {
        var both =
                old(ApplicationKind.KUBERNETES, "shared").toBuilder()
                        .putDeployTargetsByPlugin("mine", shared())
                        .build();

        assertThat(targets(both)).isEqualTo(Map.of("mine", shared()));
    }

    @Test
    void aDeploymentIsNewerThanTheOneBeforeItWhateverTheClockSays() {
        var head = new Commit("c1", "Say hello", "", "ann", Instant.EPOCH, "main");
        var before =
                Application.newBuilder()
                        .setMostRecentlyTriggeredDeployment(
                                ApplicationDeploymentReference.newBuilder().setStartedAt(7_200))
                        .build();

        var setBack =
                new Opening(() -> "d1", () -> Instant.ofEpochSecond(3_600), List.of())
                        .deployment(before, head, "", Why.commit(""), Map.of());

        assertThat(setBack.getCreatedAt()).isEqualTo(7_201);
    }

    /// The public control plane does not survive one that is left out.
    @Test
    void aDeploymentAlwaysHasRoomForNotes() {
        var head = new Commit("c1", "Say hello", "", "ann", Instant.EPOCH, "main");

        var opened =
                new Opening(() -> "d1", InstantSource.fixed(Instant.EPOCH), List.of())
                        .deployment(
                                Application.getDefaultInstance(),
                                head,
                                "",
                                Why.commit(""),
                                Map.of());

        assertThat(opened.hasMetadataV2()).isTrue();
        assertThat(opened.getMetadataV2().hasShared()).isTrue();
    }

    @Test
    void theTrailerOfAnEventLeadsBackToTheCommitThatCausedIt() {
        var body =
                """
                Some words about it.

                Other: thing
                Pipecd-Dev-Trace-Trigger-Commit-Hash: 0123456789abcdef0123456789abcdef01234567
                """;

        assertThat(traced(body)).isEqualTo("0123456789abcdef0123456789abcdef01234567");
    }

    @Test
    void aTrailerThatNoStoreCouldKeepIsLeftOut() {
        assertThat(traced("Pipecd-Dev-Trace-Trigger-Commit-Hash: " + "a".repeat(41))).isEmpty();
        assertThat(traced("Pipecd-Dev-Trace-Trigger-Commit-Hash: it's; not")).isEmpty();
        assertThat(traced("no trailer")).isEmpty();
    }

    private static String traced(String body) {
        var head = new Commit("c1", "Say hello", body, "ann", Instant.EPOCH, "main");
        return new Opening(() -> "d1", InstantSource.fixed(Instant.EPOCH), List.of())
                .deployment(
                        Application.getDefaultInstance(),
                        head,
                        "",
                        Why.commit(Trace.of(head)),
                        Map.of())
                .getDeploymentTraceCommitHash();
    }

    private static Map<String, DeployTargets> targets(Application application) {
        return opened(application).getDeployTargetsByPluginMap();
    }

    private static Deployment opened(Application application) {
        var head = new Commit("c1", "Say hello", "", "ann", Instant.EPOCH, "main");
        return opening().deployment(application, head, "", Why.commit(""), Map.of());
    }

    private static Deployment planned(Application application, String owner) {
        var stage = PipelineStage.newBuilder().setName("SYNC");
        PlannedOwner.keep(stage, owner);
        return opened(application).toBuilder().addStages(stage).build();
    }

    private static Opening opening() {
        return new Opening(() -> "d1", InstantSource.fixed(Instant.EPOCH), plugins());
    }

    private static List<PipedConfig.Plugin> plugins() {
        return Documents.piped("piped.yaml", PIPED.getBytes(StandardCharsets.UTF_8))
                .value()
                .plugins();
    }

    private static Application old(ApplicationKind kind, String provider) {
        return Application.newBuilder()
                .setId("a")
                .setKind(kind)
                .setPlatformProvider(provider)
                .build();
    }

    private static DeployTargets shared() {
        return DeployTargets.newBuilder().addDeployTargets("shared").build();
    }
}
