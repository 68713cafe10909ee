// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.application;
import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.config.ApplicationConfig.Kind;
import dev.pipecd.config.ApplicationConfig.SkipOn;
import dev.pipecd.config.ApplicationConfig.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Files of applications that are older than plugins, and those of the plugin architecture's first
/// document.
final class OldApplicationDocumentTest {
    static final String KUBERNETES =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: KubernetesApp
            spec:
              name: site
              labels: {env: dev}
              input: {manifests: [a.yaml], helmVersion: 3.8.2}
              quickSync:
                prune: true
                multiTarget: [{provider: {name: hoge}, resourceDir: ./hoge}]
              service: {name: site}
              workloads: [{kind: Deployment, name: site}]
              trafficRouting: {method: podselector}
              variantLabel: {key: x}
              resourceRoutes: [{provider: {name: b}}]
              pipeline:
                stages:
                  - name: K8S_CANARY_ROLLOUT
                    with: {replicas: 10%, timeout: 5}
                  - name: WAIT_APPROVAL
                    with:
                      approvers: [ann]
                      timeout: 30m
                      skipOn: {commitMessagePrefixes: [docs], paths: [README.md]}
                  - name: SCRIPT_RUN
                    timeout: 1m
                    skipOn: {paths: [a]}
                    with: {run: echo, Timeout: 2h, skipOn: {paths: [b]}}
            """;

    @Test
    void whatStoodOnTopIsThePlatformsPlugins() {
        var loaded = application(KUBERNETES);

        assertThat(loaded.warnings()).isEmpty();
        assertThat(loaded.value().about())
                .isEqualTo(
                        new About(
                                Kind.KUBERNETES_APP,
                                "kubernetes",
                                "site",
                                "",
                                Map.of("env", "dev")));
        assertThat(loaded.value().plugins().keySet()).containsExactly("kubernetes");
        assertThat(loaded.value().plugins().get("kubernetes"))
                .hasToString(
                        "{\"input\":{\"manifests\":[\"a.yaml\"],\"helmVersion\":\"3.8.2\"},"
                                + "\"quickSync\":{\"prune\":true,\"multiTarget\":[{\"provider\":{\"name\":\"hoge\"},\"resourceDir\":\"./hoge\"}]},"
                                + "\"service\":{\"name\":\"site\"},\"workloads\":[{\"kind\":\"Deployment\",\"name\":\"site\"}],"
                                + "\"trafficRouting\":{\"method\":\"podselector\"},\"variantLabel\":{\"key\":\"x\"},"
                                + "\"resourceRoutes\":[{\"provider\":{\"name\":\"b\"}}]}");
    }

    @Test
    void deadlineAndSkippingAreTakenOutOfTheOptionsOfTheStagesThatHadThemThere() {
        var stages = application(KUBERNETES).value().stages();

        assertThat(stages)
                .extracting(Stage::timeout)
                .containsExactly(
                        Duration.ofHours(6), Duration.ofMinutes(30), Duration.ofMinutes(1));
        assertThat(stages)
                .extracting(Stage::skipOn)
                .containsExactly(
                        new SkipOn(List.of(), List.of()),
                        new SkipOn(List.of("docs"), List.of("README.md")),
                        new SkipOn(List.of(), List.of("a")));
        assertThat(stages)
                .extracting(stage -> stage.with().toString())
                .containsExactly(
                        "{\"replicas\":\"10%\",\"timeout\":5}",
                        "{\"approvers\":[\"ann\"]}", "{\"run\":\"echo\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "KubernetesApp, kubernetes",
        "TerraformApp, terraform",
        "LambdaApp, lambda",
        "CloudRunApp, cloudrun",
        "ECSApp, ecs"
    })
    void anOldKindTellsThePlatform(String kind, String platform) {
        var app =
                application(
                                "apiVersion: pipecd.dev/v1beta1\nkind: %s\nspec: {input: {a: b}}\n"
                                        .formatted(kind))
                        .value();

        assertThat(app.about().platform()).isEqualTo(platform);
        assertThat(app.plugins().get(platform)).hasToString("{\"input\":{\"a\":\"b\"}}");
    }

    @ParameterizedTest
    @CsvSource({
        "KubernetesApp, {}, true",
        "KubernetesApp, {input: {autoRollback: false}}, false",
        "TerraformApp, {}, false",
        "TerraformApp, {input: {autoRollback: true}}, true",
        "'TerraformApp', '{input: {autoRollback: true}, planner: {autoRollback: false}}', false",
        "TerraformApp, {planner: {autoRollback: true}}, true",
        "Application, {input: {autoRollback: false}}, true"
    })
    void whoUndidByItselfStillDoes(String kind, String spec, boolean expected) {
        var app =
                application(
                        "apiVersion: pipecd.dev/v1beta1\nkind: %s\nspec: %s\n"
                                .formatted(kind, spec));

        assertThat(app.value().planner().autoRollback()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"KUBERNETES, kubernetes", "k8s, kubernetes", "CLOUD_RUN, cloudrun", "MINE, mine"})
    void theLabelAloneTellsThePlatform(String label, String platform) {
        var loaded =
                application(
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Application
                        metadata:
                          labels:
                            kind: %s
                            env: metadata
                        spec:
                          name: myApp
                          labels: {env: dev}
                        """
                                .formatted(label));

        assertThat(loaded.warnings()).isEmpty();
        assertThat(loaded.value().about())
                .isEqualTo(
                        new About(
                                Kind.APPLICATION,
                                platform,
                                "myApp",
                                "",
                                Map.of("kind", label, "env", "dev")));
        assertThat(loaded.value().plugins()).isEmpty();
    }

    @Test
    void whatMayBeLeftOutOfAStageInTheOldKindsIsFilledIn() {
        var stages =
                """
                    - name: WAIT
                    - name: WAIT_APPROVAL
                      with: {minApproverNum: 2, Approvers: null}
                    - name: WAIT_APPROVAL
                      with: {Approvers: [ann]}
                """;

        assertThat(application(of("KubernetesApp", stages)).value().stages())
                .extracting(stage -> stage.with().toString())
                .containsExactly(
                        "{\"duration\":\"1m\"}",
                        "{\"minApproverNum\":2,\"Approvers\":null,\"approvers\":[]}",
                        "{\"Approvers\":[\"ann\"]}");
        assertThat(application(of("Application", stages)).value().stages())
                .extracting(stage -> stage.with().toString())
                .containsExactly(
                        "{}",
                        "{\"minApproverNum\":2,\"Approvers\":null}",
                        "{\"Approvers\":[\"ann\"]}");
    }

    @Test
    void aWaitOfNothingOrLessIsAMinuteInTheOldKinds() {
        var stages =
                """
                    - name: WAIT
                      with: {duration: 0}
                    - name: WAIT
                      with: {Duration: 0s}
                    - name: WAIT
                      with: {duration: -5m}
                    - name: WAIT
                      with: {duration: 5s}
                    - name: WAIT
                      with: {duration: soon}
                """;

        assertThat(application(of("KubernetesApp", stages)).value().stages())
                .extracting(stage -> stage.with().path("duration").asText())
                .containsExactly("1m", "1m", "1m", "5s", "soon");
        assertThat(application(of("Application", stages)).value().stages())
                .extracting(stage -> stage.with().toString())
                .startsWith("{\"duration\":0}", "{\"Duration\":\"0s\"}");
    }

    @Test
    void noApproversAreOneInTheOldKinds() {
        var stages =
                """
                    - name: WAIT_APPROVAL
                      with: {approvers: [ann], minApproverNum: 0}
                """;

        assertThat(application(of("ECSApp", stages)).value().stages())
                .extracting(stage -> stage.with().toString())
                .containsExactly("{\"approvers\":[\"ann\"]}");
        assertThat(application(of("Application", stages)).value().stages())
                .extracting(stage -> stage.with().path("minApproverNum").asInt(1))
                .containsExactly(0);
    }

    @Test
    void theOldCustomSyncIsAcceptedAndWarnedOf() {
        var loaded =
                application(
                        of(
                                "ECSApp",
                                """
                                    - name: CUSTOM_SYNC
                                      with: {run: sync.sh, envs: {A: b}, timeout: 5m}
                                """));

        assertThat(warnings(loaded))
                .containsExactly(
                        "app.pipecd.yaml:7:13: spec.pipeline.stages[0].name: \"CUSTOM_SYNC\" (outdated: write SCRIPT_RUN with onRollback)");
        assertThat(loaded.value().stages())
                .singleElement()
                .satisfies(stage -> {
                    assertThat(stage.timeout()).isEqualTo(Duration.ofMinutes(5));
                    assertThat(stage.with().toString())
                            .isEqualTo("{\"run\":\"sync.sh\",\"envs\":{\"A\":\"b\"}}");
                });
    }

    private static String of(String kind, String stages) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: %s
        spec:
          name: site
          pipeline:
            stages:
        """
                        .formatted(kind)
                + stages;
    }

    @Test
    void whatIsIgnoredIsWarnedOf() {
        assertThat(
                        warnings(
                                application(
                                        """
                                        apiVersion: pipecd.dev/v1beta1
                                        kind: ECSApp
                                        metadata: {name: x, labels: {kind: KUBERNETES}}
                                        spec: {service: {name: site}, input: {}, plugins: {ecs: {a: b}}}
                                        """)))
                .containsExactly(
                        "app.pipecd.yaml:3:12: metadata.name: name (ignored: not a known key)",
                        "app.pipecd.yaml:3:36: metadata.labels.kind: \"KUBERNETES\" (ignored: kind ECSApp tells the platform)",
                        "app.pipecd.yaml:4:8: spec.service: service (ignored: of the old form; it belongs under spec.plugins.NAME)",
                        "app.pipecd.yaml:4:38: spec.input: input (ignored: it is beside spec.plugins.ecs)");
    }

    @Test
    void allMistakesAreToldAtOnceEachWithItsPlace() {
        assertThat(
                        mistakes(() ->
                                application(
                                        """
                                        apiVersion: pipecd.dev/v1beta1
                                        kind: TerraformApp
                                        metadata: {labels: {kind: 1}}
                                        spec:
                                          input: {autoRollback: maybe}
                                          pipeline:
                                            stages:
                                              - name: SCRIPT_RUN
                                                with: {run: echo, timeout: soon, skipOn: {paths: a}}
                                              - name: WAIT
                                                with: text
                                        """)))
                .containsExactly(
                        "app.pipecd.yaml:3:27: metadata.labels.kind: 1 (expected: text; put it in quotes)",
                        "app.pipecd.yaml:5:25: spec.input.autoRollback: \"maybe\" (expected: true or false)",
                        "app.pipecd.yaml:9:36: spec.pipeline.stages[0].with.timeout: \"soon\" (expected: a duration such as 1m30s or 500ms, not negative)",
                        "app.pipecd.yaml:9:58: spec.pipeline.stages[0].with.skipOn.paths: \"a\" (expected: a list)",
                        "app.pipecd.yaml:11:15: spec.pipeline.stages[1].with: \"text\" (expected: an object)");
    }
}
