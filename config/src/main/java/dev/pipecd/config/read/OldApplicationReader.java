// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.ApplicationConfig.Kind;
import dev.pipecd.config.GoDuration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the five old kinds have on top of their `spec` and is now the business of the platform's
/// plugin.
final class OldApplicationReader {
    private static final List<String> ONCE_ON_TOP =
            List.of(
                    "input",
                    "quickSync",
                    "service",
                    "workloads",
                    "trafficRouting",
                    "variantLabel",
                    "resourceRoutes");
    private static final List<String> OF_ALL = ONCE_ON_TOP.subList(0, 2);

    private final Kind kind;
    private final Fields spec;
    private final ObjectNode onTop = JsonNodeFactory.instance.objectNode();
    private final boolean autoRollback;

    @Keys(
            """
            input, quickSync | object | | Of an old kind: taken as written under `plugins` for its platform. If that platform is written under `plugins` too, that alone counts. In an `Application` they are ignored with a warning.
            service, workloads, trafficRouting, variantLabel, resourceRoutes | object | | `KubernetesApp`: the same; elsewhere they are ignored with a warning.
            """)
    OldApplicationReader(Kind kind, Fields spec) {
        this.kind = kind;
        this.spec = spec;
        this.autoRollback = kind == Kind.APPLICATION || writtenAutoRollback();
        for (var key : ONCE_ON_TOP) {
            if (!has(key)) {
                spec.outdated(key, "of the old form; it belongs under spec.plugins.NAME");
                continue;
            }
            var field = spec.at(key);
            if (field.isWritten()) onTop.set(key, field.json());
        }
    }

    private boolean has(String key) {
        return kind == Kind.KUBERNETES_APP || (kind != Kind.APPLICATION && OF_ALL.contains(key));
    }

    /// Only Terraform did not undo by itself.
    @Keys(
            """
            input.autoRollback | | `true`, and `false` for `TerraformApp` | Of an old kind: what happens when `planner.autoRollback` is not written.
            """)
    private boolean writtenAutoRollback() {
        return spec.at("input")
                .section(input -> {
                    var told = input.at("autoRollback").flag(kind != Kind.TERRAFORM_APP);
                    input.skip();
                    return told;
                });
    }

    /// What may be left out in the old kinds only: how long to wait, who may approve and how many
    /// of them. Nothing counts as left out too.
    static void addDefaults(String stage, ObjectNode options) {
        switch (stage) {
            case "WAIT" -> {
                options.properties().removeIf(OldApplicationReader::isNoDuration);
                if (lacks(options, "duration")) options.put("duration", "1m");
            }
            case "WAIT_APPROVAL" -> {
                options.properties().removeIf(OldApplicationReader::isNoNumber);
                if (lacks(options, "approvers")) options.putArray("approvers");
            }
            default -> {}
        }
    }

    private static boolean isNoDuration(Map.Entry<String, JsonNode> option) {
        var value = option.getValue();
        return option.getKey().equalsIgnoreCase("duration")
                && (value.isNumber()
                        ? value.decimalValue().signum() <= 0
                        : GoDuration.parse(value.asText())
                                .filter(duration -> !duration.isPositive())
                                .isPresent());
    }

    private static boolean isNoNumber(Map.Entry<String, JsonNode> option) {
        var value = option.getValue();
        return option.getKey().equalsIgnoreCase("minApproverNum")
                && value.isNumber()
                && value.decimalValue().signum() == 0;
    }

    static boolean lacks(ObjectNode options, String key) {
        return options.properties().stream()
                .noneMatch(option ->
                        option.getKey().equalsIgnoreCase(key) && !option.getValue().isNull());
    }

    /// What happens when `planner` does not tell.
    boolean autoRollback() {
        return autoRollback;
    }

    /// With what stood on top; what is written under the plugin's name comes first.
    Map<String, JsonNode> plugins(Map<String, JsonNode> written) {
        var all = new LinkedHashMap<>(written);
        if (kind == Kind.APPLICATION || all.putIfAbsent(kind.platform(), onTop) == null) return all;
        onTop.fieldNames()
                .forEachRemaining(key ->
                        spec.at(key)
                                .warn(
                                        "%s (ignored: it is beside spec.plugins.%s)"
                                                .formatted(key, kind.platform())));
        return all;
    }
}
