// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static dev.pipecd.config.read.Reading.application;
import static dev.pipecd.config.read.Reading.piped;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
                          remote: https://******@git.example.com/demo.git
                          repoId: demo
                        secretManagement:
                          config:
                            privateKeyData: '******'
                            publicKeyFile: '******'
                          type: KEY_PAIR
                        syncInterval: 2m0s
                        tools:
                          offline: false
                        webAddress: https://cd.example.com
                        """);
    }
}
