// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PipedDocumentTest {
    @Test
    void aSmallDocumentIsRead() {
        var loaded =
                Documents.piped(
                        "piped.yaml",
                        """
                        apiVersion: pipecd.dev/v1beta1
                        kind: Piped
                        spec:
                          projectID: quickstart
                          pipedid: p1
                          pipedKeyData: a2V5Cg==
                          apiAddress: localhost:8080
                          repositories:
                            - repoId: demo
                              remote: /tmp/x
                              branch: main
                          plugins:
                            - name: script
                            - name: kubernetes
                              url: file:///x
                              port: 7001
                              config: {password: hunter2, list: [1, "", null]}
                              deployTargets:
                                - name: local
                                  labels: {env: dev}
                                  config: {masterURL: https://x}
                        """
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(loaded.value().identity().key().reveal()).isEqualTo("key");
    }
}
