// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// What the stages that come with the agent take in their `with`, for who looks at a file without
/// an agent. `StageOptionsTest` in `app` compares it with the stages themselves.
public record StageOptions(Map<String, Form> required, Map<String, Form> optional) {
    private static final Map<String, StageOptions> BY_STAGE =
            Map.of(
                    "WAIT",
                    new StageOptions(Map.of("duration", Form.DURATION), Map.of()),
                    "WAIT_APPROVAL",
                    new StageOptions(
                            Map.of("approvers", Form.TEXTS), Map.of("minApproverNum", Form.COUNT)),
                    "SCRIPT_RUN",
                    new StageOptions(
                            Map.of("run", Form.TEXT),
                            Map.of("env", Form.PAIRS, "onRollback", Form.TEXT)),
                    "CUSTOM_SYNC",
                    new StageOptions(
                            Map.of("run", Form.TEXT),
                            Map.of("envs", Form.PAIRS, "env", Form.PAIRS)));

    public StageOptions {
        // Always in the same order: they are told.
        required = Collections.unmodifiableMap(new TreeMap<>(required));
        optional = Collections.unmodifiableMap(new TreeMap<>(optional));
    }

    /// Nothing is known of the stages of other plugins.
    public static Optional<StageOptions> of(String stage) {
        return Optional.ofNullable(BY_STAGE.get(stage));
    }

    public static Set<String> stages() {
        return BY_STAGE.keySet();
    }

    /// How an option is written.
    public enum Form {
        TEXT("text"),
        TEXTS("a list"),
        PAIRS("an object"),
        COUNT("a whole number"),
        DURATION("a duration such as 1m30s");

        private final String expected;

        Form(String expected) {
            this.expected = expected;
        }

        public String expected() {
            return expected;
        }
    }
}
