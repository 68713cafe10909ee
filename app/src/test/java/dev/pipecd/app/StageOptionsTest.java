// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.StageOptions;
import dev.pipecd.plugin.host.options.OptionsSchema;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugins.approval.ApprovalStage;
import dev.pipecd.plugins.script.ScriptStage;
import dev.pipecd.plugins.wait.WaitStage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What `pipectl config lint` knows of the stages is what the stages themselves say.
class StageOptionsTest {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    static Stream<Stage<?>> stages() {
        return Stream.of(WaitStage.plugin(), ApprovalStage.plugin(), ScriptStage.plugin())
                .flatMap(plugin -> plugin.stages().stream());
    }

    @Test
    void everyStageIsKnownAndNoOther() {
        assertThat(StageOptions.stages())
                .isEqualTo(stages().map(Stage::name).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("stages")
    void anOptionIsKnownAsTheStageTakesIt(Stage<?> stage) {
        var known = StageOptions.of(stage.name()).orElseThrow();
        var schema = OptionsSchema.of(stage.options());

        var forms = new HashMap<>(known.required());
        forms.putAll(known.optional());
        assertThat(types(schema))
                .isEqualTo(
                        forms.entrySet().stream()
                                .collect(
                                        Collectors.toMap(
                                                Map.Entry::getKey, form -> type(form.getValue()))));
        assertThat(required(schema)).isEqualTo(known.required().keySet());
    }

    private static Map<String, JsonNode> types(ObjectNode schema) {
        var types = new HashMap<String, JsonNode>();
        schema.path("properties")
                .properties()
                .forEach(option ->
                        types.put(
                                option.getKey(),
                                ((ObjectNode) option.getValue().deepCopy())
                                        .without(Set.of("default", "description"))));
        return types;
    }

    private static JsonNode type(StageOptions.Form form) {
        var text = JSON.objectNode().put("type", "string");
        return switch (form) {
            case TEXT -> text;
            case COUNT -> JSON.objectNode().put("type", "integer");
            case DURATION ->
                    JSON.objectNode().set("type", JSON.arrayNode().add("string").add("integer"));
            case TEXTS -> JSON.objectNode().put("type", "array").set("items", text);
            case PAIRS -> JSON.objectNode().put("type", "object").set("additionalProperties", text);
        };
    }

    private static Set<String> required(ObjectNode schema) {
        var names = new HashSet<String>();
        schema.path("required").forEach(name -> names.add(name.textValue()));
        return names;
    }
}
