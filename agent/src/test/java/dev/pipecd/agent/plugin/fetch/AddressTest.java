// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AddressTest {
    @TempDir Path home;

    @Test
    void anAddressThatCannotBeReadIsToldWithoutItsSignature() {
        assertRefused(
                "https://store.example/my plugin?sig=s3cret",
                "url: https://store.example/my plugin cannot be read (expected: an address)");
        assertRefused(
                "https://plugin_store:8080/x?sig=s3cret",
                "url: https://plugin_store:8080/x cannot be read (expected: an address)");
    }

    @Test
    void aServerThatLeadsToWhatIsNoAddressIsTold() throws Exception {
        try (var server = new SmallRegistry()) {
            for (var nowhere :
                    List.of(
                            "https://other/a b?sig=s3cret",
                            "mailto:ann@store.example",
                            "ftp://store.example/x")) {
                server.redirect("/plugin", nowhere);

                assertRefused(
                        server.url("/plugin"),
                        server.url("/plugin")
                                + ": leads to what is no address (expected: an https address)");
            }
        }
    }

    @Test
    void aFileMayHaveABlankInItsPath() throws Exception {
        Files.writeString(home.resolve("my plugin"), "one");
        var path = home.resolve("my plugin");

        for (var url : List.of("file://" + path, "file:" + path, path.toUri().toString()))
            assertThat(bring(url).file()).hasContent("one");
    }

    private void assertRefused(String url, String why) {
        assertThatThrownBy(() -> bring(url)).isInstanceOf(Problem.class).hasMessage(why);
    }

    private Programs.Program bring(String url) throws IOException, InterruptedException {
        var plugin =
                new PipedConfig.Plugin(
                        "wait",
                        url,
                        0,
                        NullNode.getInstance(),
                        List.of(),
                        new PipedConfig.Origin(
                                "", "", Secret.written("", ""), Duration.ofMinutes(1)),
                        new PipedConfig.Running(10, false));
        return new Programs(home.resolve("programs"), Map.of(), false).bring(plugin, _ -> {});
    }
}
