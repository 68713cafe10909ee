// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.config.PipedConfig.Plugin;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ContractJsonTest {
    /// The public SDK takes it apart as an address, and ends where it is none.
    @Test
    void theProgramIsAnAddressWhateverThePluginIsCalled() throws Exception {
        for (var name : new String[] {"k8s", "50%: a b", "déploy#1?"}) {
            var program = Path.of("/data/plugins", name);

            var told =
                    new ObjectMapper().readTree(ContractJson.of(Plugin.builtin(name), program, 1));

            assertThat(told.path("name").asText()).isEqualTo(name);
            var url = new URI(told.path("url").asText());
            assertThat(url.getScheme()).isEqualTo("file");
            assertThat(Path.of(url)).isEqualTo(program);
        }
    }
}
