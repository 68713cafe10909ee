// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.Base64;
import java.util.List;

/// Messages as the public command line writes them into files: names as in the protocol, all
/// numbers as numbers, enums by number, and nothing that holds its default.
final class GoJson {
    private GoJson() {}

    static JsonObject of(Message message) {
        var json = new JsonObject();
        message.getAllFields()
                .forEach((field, value) -> json.add(field.getName(), field(field, value)));
        return json;
    }

    private static JsonElement field(FieldDescriptor field, Object value) {
        if (field.isMapField()) return map((List<?>) value);
        if (!field.isRepeated()) return single(value);
        var array = new JsonArray();
        ((List<?>) value).forEach(each -> array.add(single(each)));
        return array;
    }

    private static JsonElement map(List<?> entries) {
        var json = new JsonObject();
        for (var each : entries) {
            var entry = (Message) each;
            var type = entry.getDescriptorForType();
            json.add(
                    String.valueOf(entry.getField(type.findFieldByNumber(1))),
                    single(entry.getField(type.findFieldByNumber(2))));
        }
        return json;
    }

    private static JsonElement single(Object value) {
        return switch (value) {
            case Message message -> of(message);
            case EnumValueDescriptor number -> new JsonPrimitive(number.getNumber());
            case ByteString bytes ->
                    new JsonPrimitive(Base64.getEncoder().encodeToString(bytes.toByteArray()));
            case Boolean truth -> new JsonPrimitive(truth);
            case Number number -> new JsonPrimitive(number);
            default -> new JsonPrimitive(value.toString());
        };
    }
}
