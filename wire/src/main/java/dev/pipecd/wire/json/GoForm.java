// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.json;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import java.util.Base64;
import java.util.List;

/// Messages as the public system writes them into databases and files: keys are the proto's field
/// names, zero values are left out, enums and 64-bit numbers are plain numbers, bytes are base64.
///
/// @param nodes of the JSON library its caller has
public record GoForm<N>(Nodes<N> nodes) {
    public N of(Message message) {
        var object = nodes.object();
        message.getAllFields()
                .forEach((field, value) -> nodes.put(object, field.getName(), value(field, value)));
        return object;
    }

    private N value(FieldDescriptor field, Object value) {
        if (field.isMapField()) return map(field, (List<?>) value);
        if (!field.isRepeated()) return single(field, value);
        var array = nodes.array();
        ((List<?>) value).forEach(v -> nodes.add(array, single(field, v)));
        return array;
    }

    private N map(FieldDescriptor field, List<?> entries) {
        var valueField = field.getMessageType().findFieldByNumber(2);
        var object = nodes.object();
        for (var entry : entries) {
            var e = (MapEntry<?, ?>) entry;
            nodes.put(object, String.valueOf(e.getKey()), single(valueField, e.getValue()));
        }
        return object;
    }

    private N single(FieldDescriptor field, Object value) {
        return switch (field.getJavaType()) {
            case INT -> nodes.number(unsigned(field, (Integer) value));
            case LONG, FLOAT, DOUBLE -> nodes.number((Number) value);
            case BOOLEAN -> nodes.truth((Boolean) value);
            case STRING -> nodes.text((String) value);
            case BYTE_STRING ->
                    nodes.text(
                            Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
            case ENUM -> nodes.number(number(value));
            case MESSAGE -> of((Message) value);
        };
    }

    private static int number(Object enumValue) {
        return enumValue instanceof EnumValueDescriptor named
                ? named.getNumber()
                : (Integer) enumValue;
    }

    private static long unsigned(FieldDescriptor field, int value) {
        return switch (field.getType()) {
            case UINT32, FIXED32 -> Integer.toUnsignedLong(value);
            default -> value;
        };
    }

    /// What a JSON library makes its trees of.
    public interface Nodes<N> {
        N object();

        void put(N object, String key, N value);

        N array();

        void add(N array, N value);

        N number(Number value);

        N truth(boolean value);

        N text(String value);
    }
}
