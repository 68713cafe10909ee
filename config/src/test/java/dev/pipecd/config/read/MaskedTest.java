// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.application;
import static dev.pipecd.config.read.Reading.piped;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MaskedTest {
    @Test
    void emptyValuesStayWhatTheyAre() {
        var loaded =
                application(
                        "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {plugins: {p: {a: , b: '', c: [x, 1, no], d: {}}}}\n");

        assertThat(loaded.masked())
                .contains(
                        """
                        plugins:
                          p:
                            a: null
                            b: ''
                            c:
                            - '******'
                            - '******'
                            - '******'
                            d: {}
                        """);
    }

    @Test
    void nothingSecretIsShown() {
        var loaded =
                piped(
                        PipedDocumentTest.FULL.replace(
                                "appSelector:", "apiKeyy: hunter2\n  appSelector:"));

        assertThat(loaded.value().plugins().toString() + loaded.value().identity())
                .doesNotContain("hunter2", "secret-key");
        assertThat(loaded.masked())
                .isEqualTo(
                        """
                        apiAddress: cd.example.com:443
                        apiKeyy: '******'
                        appConfigSyncInterval: 3m0s
                        appSelector:
                          team: web
                        eventWatcher:
                          checkInterval: 30s
                          gitRepos:
                          - commitMessage: m
                            excludes:
                            - b
                            includes:
                            - a
                            repoId: demo
                        git:
                          acceptNewHostKeys: false
                          email: bot@example.com
                          host: git.example.com
                          hostName: 10.0.0.1
                          sshConfigFilePath: '******'
                          sshKeyData: '******'
                          username: bot
                        maxRunningStages: 1000
                        name: dev
                        notifications:
                          receivers:
                          - name: hook
                            webhook:
                              hmacKey: '******'
                              signatureValue: '******'
                              url: '******'
                          - name: slack
                            slack:
                              channelID: C1
                              mentionedAccounts:
                              - '@ann'
                              - bob
                              mentionedGroups:
                              - ops
                              oauthTokenData: '******'
                          - name: slack-hook
                            slack:
                              hookURL: '******'
                          routes:
                          - apps:
                            - a
                            events:
                            - DEPLOYMENT_FAILED
                            ignoreGroups:
                            - PIPED
                            labels:
                              x: z
                            name: all
                            receiver: hook
                        pipedID: p1
                        pipedKeyData: '******'
                        planPreview:
                          commandCheckInterval: 3s
                          commandHandleTimeout: 4m0s
                          commandQueueBufferSize: 2
                          workerNum: 1
                        plugins:
                        - downloadTimeout: 5m0s
                          isolate: false
                          maxRunningStages: 500
                          name: script
                          port: 0
                          url: builtin:script
                        - config:
                            chartRepositories:
                            - name: '******'
                              password: '******'
                          deployTargets:
                          - config:
                              masterURL: '******'
                              tries: '******'
                            labels:
                              env: dev
                            name: local
                          downloadTimeout: 5m0s
                          isolate: false
                          maxRunningStages: 500
                          name: kubernetes
                          port: 7001
                          url: https://example.com/kubernetes
                        projectID: quickstart
                        repositories:
                        - branch: main
                          depth: 50
                          remote: https://******@git.example.com/demo.git
                          repoId: demo
                        secretManagement:
                          config:
                            privateKeyData: '******'
                            publicKeyFile: '******'
                          type: KEY_PAIR
                        syncInterval: 2m0s
                        takeOverAfter: 2m0s
                        tools:
                          offline: false
                        webAddress: https://cd.example.com
                        """);
    }

    /// Everything the public agent masks, old and new, one or a few at a time.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "pipedKeyFile: c4n4ry",
                "pipedKeyData: c4n4ryAA",
                "git: {sshConfigFilePath: c4n4ry, sshKeyFile: c4n4ry}",
                "git: {sshKeyData: c4n4ryAA}",
                "git: {username: u, password: c4n4ryAA}",
                "notifications: {receivers: [{name: r, slack: {hookURL: c4n4ry}}]}",
                "notifications: {receivers: [{name: r, slack: {channelID: c, oauthToken: c4n4ry}}]}",
                "notifications: {receivers: [{name: r, slack: {channelID: c, oauthTokenData: c4n4ryAA}}]}",
                "notifications: {receivers: [{name: r, slack: {channelID: c, oauthTokenFile: c4n4ry}}]}",
                "notifications: {receivers: [{name: r, webhook: {url: c4n4ry, signatureKey: c4n4ry, signatureValue: c4n4ry}}]}",
                "notifications: {receivers: [{name: r, webhook: {url: c4n4ry, signatureValueFile: c4n4ry}}]}",
                "secretManagement: {type: KEY_PAIR, config: {privateKeyFile: c4n4ry, publicKeyFile: p}}",
                "secretManagement: {type: KEY_PAIR, config: {privateKeyData: c4n4ryAA, publicKeyFile: p}}",
                "secretManagement: {type: GCP_KMS, config: {keyName: k, decryptServiceAccountFile: c4n4ry, encryptServiceAccountFile: c4n4ry}}",
                "chartRepositories: [{name: it, address: a, password: c4n4ry}, {type: GIT, gitRemote: 'https://u:c4n4ry@x/y', sshKeyFile: c4n4ry}]",
                "chartRegistries: [{type: OCI, address: a, password: c4n4ry}]",
                "platformProviders: [{name: it, type: CLOUDRUN, config: {credentialsFile: c4n4ry}}]",
                "platformProviders: [{name: it, type: LAMBDA, config: {region: r, credentialsFile: c4n4ry, roleARN: c4n4ry, tokenFile: c4n4ry}}]",
                "cloudProviders: [{name: it, type: ECS, config: {region: r, credentialsFile: c4n4ry, typo: c4n4ry}}]",
                "analysisProviders: [{name: it, type: PROMETHEUS, config: {address: a, usernameFile: c4n4ry, passwordFile: c4n4ry}}]",
                "analysisProviders: [{name: it, type: DATADOG, config: {apiKeyFile: c4n4ry, applicationKeyData: c4n4ryAA}}]",
                "analysisProviders: [{name: it, type: STACKDRIVER, config: {serviceAccountFile: c4n4ry}}]",
                "plugins: [{name: it, config: {a: {b: [c4n4ry]}}, deployTargets: [{name: t, config: {a: c4n4ry}}]}]",
                "plugin: [{name: it, config: c4n4ry}]"
            })
    void whatThePublicAgentMasksIsMasked(String line) {
        var key = line.startsWith("pipedKey") ? "" : "  pipedKeyFile: k\n";
        var loaded =
                piped(
                        "apiVersion: pipecd.dev/v1beta1\nkind: Piped\nspec:\n  projectID: p\n  pipedID: i\n  apiAddress: 'a:1'\n"
                                + key
                                + "  "
                                + line
                                + "\n");

        assertThat(loaded.masked()).contains("******").doesNotContain("c4n4ry");
        assertThat(loaded.warnings().toString()).doesNotContain("c4n4ry");
    }
}
