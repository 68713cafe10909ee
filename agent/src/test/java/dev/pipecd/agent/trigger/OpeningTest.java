// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.source.Commit;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.SyncStrategy;
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
    void deployTargetsComeFirst() {
        var both =
                old(ApplicationKind.KUBERNETES, "shared").toBuilder()
                        .putDeployTargetsByPlugin("mine", shared())
                        .build();

        assertThat(targets(both)).isEqualTo(Map.of("mine", shared()));
    }

    private static Map<String, DeployTargets> targets(Application application) {
        var head = new Commit("c1", "Say hello", "", "ann", Instant.EPOCH, "main");
        return new Opening(() -> "d1", InstantSource.fixed(Instant.EPOCH), plugins())
                .deployment(application, head, "", "", SyncStrategy.AUTO, List.of())
                .getDeployTargetsByPluginMap();
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
