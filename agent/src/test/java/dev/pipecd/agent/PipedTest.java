// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PipedTest {
    @Test
    void theOldNameOfTheCommandIsKnownWithItsFlags() {
        assertThat(
                        Piped.run(
                                List.of("host"),
                                "piped",
                                "--config-file=/no/such/file",
                                "--enable-default-kubernetes-cloud-provider",
                                "--app-manifest-cache-count=150"))
                .isEqualTo(1);
        assertThat(Piped.run(List.of("host"), "piper")).isEqualTo(2);
    }
}
