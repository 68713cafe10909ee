// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

/// Makes messages with something in every field, so that a field added later is tried too.
final class Filled {
    private Filled() {}

    /// Down to `depth`, since messages may hold their own kind.
    static Message with(Message prototype, int depth) {
        var builder = prototype.newBuilderForType();
        for (var field : prototype.getDescriptorForType().getFields()) {
            var nested = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
            if (nested && depth == 0) continue;
            if (field.isRepeated()) {
                builder.addRepeatedField(field, value(builder, field, depth));
                if (!field.isMapField())
                    builder.addRepeatedField(field, value(builder, field, depth));
            } else builder.setField(field, value(builder, field, depth));
        }
        return builder.build();
    }

    private static Object value(Message.Builder owner, FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case INT -> -field.getNumber();
            case LONG -> Long.MIN_VALUE + field.getNumber();
            case FLOAT -> 1.5f;
            case DOUBLE -> -2.25;
            case BOOLEAN -> true;
            case STRING -> "é\n\"" + field.getName();
            case BYTE_STRING -> ByteString.copyFrom(new byte[] {-1, 0, 1});
            case ENUM -> field.getEnumType().getValues().getLast();
            case MESSAGE ->
                    with(owner.newBuilderForField(field).getDefaultInstanceForType(), depth - 1);
        };
    }
}
