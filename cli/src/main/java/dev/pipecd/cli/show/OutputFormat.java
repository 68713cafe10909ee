// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.protobuf.MessageOrBuilder;
import java.util.List;
import java.util.Locale;

/// For people or for programs.
public enum OutputFormat {
    TABLE,
    JSON,
    YAML;

    /// As people write it, and as a shell completes it.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean forPrograms() {
        return this != TABLE;
    }

    /// As a program reads it.
    public String of(MessageOrBuilder message) {
        return ofJson(Json.of(message));
    }

    /// As a program reads it.
    public String of(List<? extends MessageOrBuilder> messages) {
        return ofJson(Json.of(messages));
    }

    /// What is JSON already.
    public String ofJson(String json) {
        return this == YAML ? Yaml.of(json) : json;
    }
}
