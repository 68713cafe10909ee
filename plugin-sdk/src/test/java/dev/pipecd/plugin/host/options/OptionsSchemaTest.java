// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.options;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.plugin.stage.Otherwise;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OptionsSchemaTest {
    enum Kind {
        CANARY,
        PRIMARY
    }

    record Part(int percent) {}

    record Options(
            String name,
            Duration pause,
            @Otherwise("[]") List<String> people,
            Map<String, Part> parts,
            Optional<Kind> kind) {}

    @Test
    void everyRuleOfTheReaderIsInTheSchema() {
        assertThat(OptionsSchema.of(Options.class).toString())
                .isEqualTo(
                        "{\"type\":\"object\",\"properties\":{"
                                + "\"name\":{\"type\":\"string\"},"
                                + "\"pause\":{\"type\":[\"string\",\"integer\"],\"description\":\"a duration such as 30s or 1h30m, or a number of nanoseconds\"},"
                                + "\"people\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"default\":[]},"
                                + "\"parts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\",\"properties\":{\"percent\":{\"type\":\"integer\"}},\"required\":[\"percent\"],\"additionalProperties\":false}},"
                                + "\"kind\":{\"type\":\"string\",\"enum\":[\"CANARY\",\"PRIMARY\"]}},"
                                + "\"required\":[\"name\",\"pause\",\"parts\"],\"additionalProperties\":false,"
                                + "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}");
    }
}
