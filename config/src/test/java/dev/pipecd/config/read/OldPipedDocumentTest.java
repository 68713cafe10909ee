// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.mistakes;
import static dev.pipecd.config.read.Reading.piped;
import static dev.pipecd.config.read.Reading.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.PipedConfig.DeployTarget;
import dev.pipecd.config.PipedConfig.Plugin;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Files of agents that are older than plugins.
final class OldPipedDocumentTest {
    static final String FULL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: quickstart
              pipedID: p1
              pipedKeyData: c2VjcmV0LWtleQo=
              apiAddress: cd.example.com:443
              repositories:
                - {repoId: demo, remote: "git@github.com:example/demo.git", branch: main}
              chartRepositories:
                - {name: stable, address: https://charts.example.com, username: ann, password: hunter2}
                - {type: GIT, gitRemote: "git@github.com:example/charts.git", sshKeyFile: /etc/chart-key}
              chartRegistries:
                - {type: OCI, address: registry.example.com, username: ann, password: hunter2}
              cloudProviders:
                - name: old-cluster
                  type: KUBERNETES
                  config: {masterURL: https://old.example.com, kubeConfigPath: /etc/kube}
              platformProviders:
                - name: cluster
                  type: KUBERNETES
                  labels: {env: dev}
                  config:
                    kubectlVersion: 1.30.0
                    appStateInformer:
                      namespace: web
                      includeResources: [{apiVersion: v1, kind: ConfigMap}]
                      excludeResources: [{apiVersion: v1}]
                - {name: infra, type: TERRAFORM, config: {vars: [project=a], driftDetectionEnabled: false}}
                - {name: run, type: CLOUDRUN, config: {project: a, region: eu, credentialsFile: /etc/gcp}}
                - {name: fn, type: LAMBDA, config: {region: eu-west-1, profile: p, awsAPIPollingInterval: 20s}}
                - {name: tasks, type: ECS, config: {region: eu-west-1, credentialsFile: /etc/aws, roleARN: arn, tokenFile: /t}}
              analysisProviders:
                - {name: prom, type: PROMETHEUS, config: {address: https://prom.example.com, usernameFile: /u, passwordFile: /p}}
                - {name: dog, type: DATADOG, config: {address: datadoghq.com, apiKeyData: aHVudGVyMg==, applicationKeyFile: /k}}
                - {name: gcp, type: STACKDRIVER, config: {serviceAccountFile: /s}}
            """;

    private static final String SMALL =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyFile: /etc/key
              apiAddress: localhost:8080
            """;

    @Test
    void providersAreDeployTargetsOfThePluginForTheirPlatform() {
        var loaded = piped(FULL);
        var config = loaded.value();

        assertThat(loaded.warnings()).isEmpty();
        assertThat(config.plugins())
                .extracting(Plugin::name)
                .containsExactly(
                        "kubernetes",
                        "terraform",
                        "cloudrun",
                        "lambda",
                        "ecs",
                        "analysis",
                        "wait",
                        "waitapproval",
                        "scriptrun");
        assertThat(config.plugins())
                .allSatisfy(plugin -> assertThat(plugin.builtin()).hasValue(plugin.name()));
        var targets = config.plugin("kubernetes").orElseThrow().deployTargets();
        assertThat(targets)
                .extracting(DeployTarget::name)
                .containsExactly("old-cluster", "cluster");
        assertThat(targets.getLast().labels()).isEqualTo(Map.of("env", "dev"));
        assertThat(targets.getFirst().config())
                .hasToString(
                        "{\"masterURL\":\"https://old.example.com\",\"kubeConfigPath\":\"/etc/kube\"}");
        assertThat(target(config, "terraform").config())
                .hasToString("{\"vars\":[\"project=a\"],\"driftDetectionEnabled\":false}");
        assertThat(target(config, "ecs").name()).isEqualTo("tasks");
    }

    @Test
    void builtInsThatNobodyNamedStandInForThoseThatAreNotThere() {
        var plugins =
                piped(
                                SMALL
                                        + """
                                          plugins:
                                            - {name: approval, url: 'oci://registry.example.com/waitapproval:v1'}
                                            - {name: script-run, url: 'oci://registry.example.com/scriptrun:v1'}
                                            - {name: wait}
                                          analysisProviders: [{name: prom, type: PROMETHEUS, config: {address: 'http://prom'}}]
                                        """)
                        .value()
                        .plugins();

        assertThat(plugins)
                .extracting(Plugin::name)
                .containsExactly("approval", "script-run", "wait", "analysis", "waitapproval");
        assertThat(plugins)
                .filteredOn(plugin -> plugin.running().standsIn())
                .extracting(Plugin::name)
                .containsExactly("waitapproval");
    }

    @Test
    void theOtherSectionsAreWhatAPluginIsTold() {
        var config = piped(FULL).value();

        assertThat(config.plugin("kubernetes").orElseThrow().config())
                .hasToString(
                        "{\"chartRepositories\":[{\"name\":\"stable\",\"address\":\"https://charts.example.com\",\"username\":\"ann\",\"password\":\"hunter2\"},"
                                + "{\"type\":\"GIT\",\"gitRemote\":\"git@github.com:example/charts.git\",\"sshKeyFile\":\"/etc/chart-key\"}],"
                                + "\"chartRegistries\":[{\"type\":\"OCI\",\"address\":\"registry.example.com\",\"username\":\"ann\",\"password\":\"hunter2\"}]}");
        assertThat(config.plugin("analysis").orElseThrow().config().at("/analysisProviders/2"))
                .hasToString(
                        "{\"name\":\"gcp\",\"type\":\"STACKDRIVER\",\"config\":{\"serviceAccountFile\":\"/s\"}}");
    }

    @Test
    void nothingSecretIsShown() {
        assertThat(piped(FULL).masked())
                .isEqualTo(
                        """
                        analysisProviders:
                        - config:
                            address: '******'
                            passwordFile: '******'
                            usernameFile: '******'
                          name: prom
                          type: PROMETHEUS
                        - config:
                            address: '******'
                            apiKeyData: '******'
                            applicationKeyFile: '******'
                          name: dog
                          type: DATADOG
                        - config:
                            serviceAccountFile: '******'
                          name: gcp
                          type: STACKDRIVER
                        apiAddress: cd.example.com:443
                        appConfigSyncInterval: 1m0s
                        chartRegistries:
                        - address: registry.example.com
                          password: '******'
                          type: OCI
                          username: ann
                        chartRepositories:
                        - address: https://charts.example.com
                          insecure: false
                          name: stable
                          password: '******'
                          username: ann
                        - gitRemote: git@github.com:example/charts.git
                          sshKeyFile: '******'
                          type: GIT
                        cloudProviders:
                        - config:
                            kubeConfigPath: '******'
                            masterURL: '******'
                          name: old-cluster
                          type: KUBERNETES
                        eventWatcher:
                          checkInterval: 1m0s
                        git:
                          acceptNewHostKeys: false
                          email: pipecd.dev@gmail.com
                          host: github.com
                          hostName: github.com
                          username: piped
                        maxRunningStages: 1000
                        pipedID: p1
                        pipedKeyData: '******'
                        planPreview:
                          commandCheckInterval: 5s
                          commandHandleTimeout: 5m0s
                          commandQueueBufferSize: 10
                          workerNum: 3
                        platformProviders:
                        - config:
                            appStateInformer:
                              excludeResources:
                              - apiVersion: '******'
                              includeResources:
                              - apiVersion: '******'
                                kind: '******'
                              namespace: '******'
                            kubectlVersion: '******'
                          labels:
                            env: dev
                          name: cluster
                          type: KUBERNETES
                        - config:
                            driftDetectionEnabled: '******'
                            vars:
                            - '******'
                          name: infra
                          type: TERRAFORM
                        - config:
                            credentialsFile: '******'
                            project: '******'
                            region: '******'
                          name: run
                          type: CLOUDRUN
                        - config:
                            awsAPIPollingInterval: '******'
                            profile: '******'
                            region: '******'
                          name: fn
                          type: LAMBDA
                        - config:
                            credentialsFile: '******'
                            region: '******'
                            roleARN: '******'
                            tokenFile: '******'
                          name: tasks
                          type: ECS
                        projectID: quickstart
                        repositories:
                        - branch: main
                          depth: 0
                          remote: git@github.com:example/demo.git
                          repoId: demo
                        syncInterval: 1m0s
                        takeOverAfter: 2m0s
                        tools:
                          offline: false
                        """);
    }

    @Test
    void allMistakesAreToldAtOnceEachWithItsPlace() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + """
                                                  chartRepositories:
                                                    - {name: a}
                                                    - {type: GIT}
                                                    - {type: SVN}
                                                  chartRegistries: [{type: OCI}]
                                                  platformProviders:
                                                    - {name: a, type: KUBERNETS}
                                                    - {name: b, type: KUBERNETES, config: {masterURL: 1}}
                                                    - {name: b, type: KUBERNETES}
                                                    - {type: ECS, config: {}}
                                                    - {name: b, type: TERRAFORM, config: {vars: a}}
                                                  analysisProviders:
                                                    - {name: d, type: DATADOG, config: {apiKeyFile: a, apiKeyData: aGE=}}
                                                    - {name: p, type: PROMETHEUS}
                                                """)))
                .containsExactly(
                        "piped.yaml:9:7: spec.chartRepositories[0].address: missing (expected: text)",
                        "piped.yaml:10:7: spec.chartRepositories[1].gitRemote: missing (expected: text)",
                        "piped.yaml:11:7: spec.chartRepositories[2].name: missing (expected: text)",
                        "piped.yaml:11:7: spec.chartRepositories[2].address: missing (expected: text)",
                        "piped.yaml:11:14: spec.chartRepositories[2].type: \"SVN\" (expected: one of HTTP, GIT)",
                        "piped.yaml:12:21: spec.chartRegistries[0].address: missing (expected: text)",
                        "piped.yaml:14:23: spec.platformProviders[0].type: \"KUBERNETS\" (expected: one of KUBERNETES, TERRAFORM, CLOUDRUN, LAMBDA, ECS; did you mean \"KUBERNETES\"?)",
                        "piped.yaml:15:55: spec.platformProviders[1].config.masterURL: 1 (expected: text; put it in quotes)",
                        "piped.yaml:16:14: spec.platformProviders[2].name: \"b\" (expected: each provider of a platform once)",
                        "piped.yaml:17:7: spec.platformProviders[3].name: missing (expected: text)",
                        "piped.yaml:17:27: spec.platformProviders[3].config.region: missing (expected: text)",
                        "piped.yaml:18:49: spec.platformProviders[4].config.vars: \"a\" (expected: a list)",
                        "piped.yaml:20:40: spec.analysisProviders[0].config.applicationKeyFile: missing (expected: applicationKeyFile or applicationKeyData)",
                        "piped.yaml:20:68: spec.analysisProviders[0].config.apiKeyData: beside spec.analysisProviders[0].config.apiKeyFile (expected: only one of the two)",
                        "piped.yaml:21:7: spec.analysisProviders[1].config.address: missing (expected: text)");
    }

    @Test
    void whatIsIgnoredIsWarnedOf() {
        assertThat(
                        warnings(
                                piped(
                                        SMALL
                                                + "  platformProviders: [{name: a, type: KUBERNETES, config: {masterUrls: x}}]\n")))
                .containsExactly(
                        "piped.yaml:8:60: spec.platformProviders[0].config.masterUrls: masterUrls (ignored: not a known key; did you mean \"masterURL\"?)");
    }

    @Test
    void providersJoinAPluginThatIsWritten() {
        var config =
                piped(
                                SMALL
                                        + """
                                          plugins:
                                            - name: k8s_plugin
                                              url: https://example.com/kubernetes
                                              config: {a: b}
                                              deployTargets: [{name: new}]
                                            - {name: mine, url: "builtin:wait"}
                                          platformProviders: [{name: old, type: KUBERNETES}]
                                          chartRegistries: [{address: r}]
                                        """)
                        .value();

        assertThat(config.plugins())
                .extracting(Plugin::name)
                .containsExactly("k8s_plugin", "mine", "waitapproval", "scriptrun");
        var kubernetes = config.plugins().getFirst();
        assertThat(kubernetes.url()).isEqualTo("https://example.com/kubernetes");
        assertThat(kubernetes.deployTargets())
                .extracting(DeployTarget::name)
                .containsExactly("new", "old");
        assertThat(kubernetes.config())
                .hasToString("{\"a\":\"b\",\"chartRegistries\":[{\"address\":\"r\"}]}");
    }

    @Test
    void whatIsWrittenInBothFormsIsAMistake() {
        assertThat(
                        mistakes(() ->
                                piped(
                                        SMALL
                                                + """
                                                  plugins:
                                                    - name: kubernetes
                                                      config: {chartRegistries: []}
                                                      deployTargets: [{name: a}]
                                                  platformProviders: [{name: a, type: KUBERNETES}]
                                                  chartRegistries: [{type: OCI, address: r}]
                                                """)))
                .containsExactly(
                        "piped.yaml:12:30: spec.platformProviders[0].name: \"a\" (expected: each provider of a platform once)",
                        "piped.yaml:13:20: spec.chartRegistries: beside the config of plugin kubernetes (expected: only one of the two)");
    }

    @Test
    void withoutPluginsTheStagesOfTheOldAgentAreThere() {
        assertThat(piped(SMALL).value().plugins())
                .extracting(Plugin::url)
                .containsExactly("builtin:wait", "builtin:waitapproval", "builtin:scriptrun");
    }

    @Test
    void theClusterNobodyWroteDownCanBeAdded() {
        var added = piped(SMALL).value().withDefaultKubernetes();

        assertThat(added.plugin("kubernetes").orElseThrow().hasTarget("kubernetes-default"))
                .isTrue();
        assertThat(added.withDefaultKubernetes()).isEqualTo(added);
        assertThat(piped(FULL).value().withDefaultKubernetes().plugin("kubernetes").orElseThrow())
                .extracting(plugin -> plugin.deployTargets().size())
                .isEqualTo(3);
    }

    private static DeployTarget target(PipedConfig config, String plugin) {
        return config.plugin(plugin).orElseThrow().deployTargets().getFirst();
    }
}
