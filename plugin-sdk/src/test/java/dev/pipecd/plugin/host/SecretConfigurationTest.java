// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.testkit.FakeAgent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a plugin's configuration says stays on its machine, also when it does not fit.
class SecretConfigurationTest {
    enum Mode {
        FAST
    }

    record Secrets(
            String token,
            Duration pause,
            Mode mode,
            List<String> keys,
            Map<String, Integer> pins) {}

    record Target(String password) {}

    private static final String ENTRY =
            """
            {"name": "own", "builtin": "test", "port": 1,
             "config": {"token": 82716354, "pause": "82716354", "mode": "82716354",
                        "keys": [82716354, ["82716354"], {"a": 82716354}], "pins": {"first": "82716354", "second": true}},
             "deployTargets": [{"name": "berlin", "config": {"password": 82716354}}]}
            """;

    private static final List<String> TOLD =
            List.of(
                    "config: token: a number (expected: text); "
                            + "pause: a text (expected: a duration such as 30s or 1h30m); "
                            + "mode: a text (expected: one of FAST); "
                            + "keys[0]: a number (expected: text); "
                            + "keys[1]: a list (expected: text); "
                            + "keys[2]: an object (expected: text); "
                            + "pins.first: a text (expected: a whole number); "
                            + "pins.second: a boolean (expected: a whole number)",
                    "deployTargets.berlin.config: password: a number (expected: text)");

    @TempDir Path home;

    private final StageOwner plugin =
            new StageOwner() {
                @Override
                public String name() {
                    return "test";
                }

                @Override
                public List<Stage<?>> stages() {
                    return List.of();
                }

                @Override
                public Class<?> configType() {
                    return Secrets.class;
                }

                @Override
                public Class<?> targetConfigType() {
                    return Target.class;
                }
            };

    @Test
    void ourAgentIsToldTheKindOfAValueAlone() throws Exception {
        var file =
                Files.writeString(
                        home.resolve("plugins.json"),
                        """
                        {"token": "secret", "stateDirectory": "%s", "plugins": [%s]}
                        """
                                .formatted(
                                        home.resolve("state"), ENTRY.replace("\"port\": 1,", "")));
        try (var agent = FakeAgent.open("secret");
                var _ = open(agent, "host", "--config-file", file.toString())) {
            assertThat(agent.heard().mistakes("own")).isEqualTo(TOLD);
        }
    }

    @Test
    void theLastWordsOfAPluginAloneTellTheKindOfAValueAlone() throws Exception {
        try (var agent = FakeAgent.open("")) {
            assertThatThrownBy(() -> open(agent, "start", "--config", ENTRY))
                    .isInstanceOf(Problem.class)
                    .hasMessage("plugin own: " + String.join("; ", TOLD));
        }
    }

    private PluginHost open(FakeAgent agent, String command, String flag, String value)
            throws Exception {
        return PluginHost.open(
                List.of(command, "--piped-plugin-service", agent.address(), flag, value),
                List.of(plugin),
                InstantSource.system());
    }
}
