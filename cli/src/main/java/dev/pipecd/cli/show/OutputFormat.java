// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import com.google.protobuf.Message;
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

    /// As a program reads it: JSON as scripts know it of the public command line, YAML with names.
    public String of(Message message) {
        return this == YAML ? Yaml.of(Json.withNames(message)) : Json.of(message);
    }

    public String of(List<? extends Message> messages) {
        return this == YAML ? Yaml.of(Json.withNames(messages)) : Json.of(messages);
    }

    /// What is JSON already.
    public String ofJson(String json) {
        return this == YAML ? Yaml.of(json) : json;
    }
}
