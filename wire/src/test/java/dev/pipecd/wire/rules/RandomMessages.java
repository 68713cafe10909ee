// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.List;
import java.util.random.RandomGenerator;

/// Makes messages that mostly keep the rules, each value being broken with the given chance.
final class RandomMessages {
    private static final int DEEPEST = 7;
    private static final List<String> FIT =
            List.of("vb-1", "KEY_PAIR", "v-é-long-enough-for-all", "v1-x");
    private static final List<String> ODD =
            List.of(
                    "",
                    "a",
                    "/",
                    "/x",
                    "ab",
                    "a/b",
                    "a\n",
                    "\na",
                    "a\nb",
                    "ab\n",
                    "a-b",
                    "a--b",
                    "-a",
                    "a-b\n",
                    "x\r",
                    "a\u2028b",
                    "abcde",
                    "abcdef",
                    "é",
                    "😀",
                    "😀😀😀",
                    "V1",
                    "v",
                    "KEY_PAIR ",
                    "NONE",
                    "none",
                    "\"q\\",
                    "\u0000",
                    "x".repeat(70));

    private final RandomGenerator random;
    private final double broken;

    RandomMessages(RandomGenerator random, double broken) {
        this.random = random;
        this.broken = broken;
    }

    Message like(Message empty) {
        return filled(empty.newBuilderForType(), 0);
    }

    private Message filled(Message.Builder message, int depth) {
        for (var field : message.getDescriptorForType().getFields()) {
            if (breaks() && random.nextBoolean()) continue;
            if (depth == DEEPEST && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE)
                continue;
            if (!field.isRepeated()) message.setField(field, value(message, field, depth));
            else
                for (var i = count(depth); i > 0; i--)
                    message.addRepeatedField(field, value(message, field, depth));
        }
        return message.build();
    }

    private int count(int depth) {
        if (!breaks()) return 1;
        return depth == 0 && random.nextInt(8) == 0 ? 49 + random.nextInt(4) : random.nextInt(3);
    }

    private Object value(Message.Builder message, FieldDescriptor field, int depth) {
        return switch (field.getJavaType()) {
            case MESSAGE -> filled(message.newBuilderForField(field), depth + 1);
            case STRING -> breaks() ? any(ODD) : any(FIT);
            case ENUM -> constant(field.getEnumType());
            case INT -> breaks() ? random.nextInt(-2, 3) : 1;
            case LONG -> breaks() ? random.nextLong(-2, 3) : 1L;
            case FLOAT ->
                    breaks()
                            ? any(
                                    List.of(
                                            -1f,
                                            0f,
                                            -0f,
                                            Float.MIN_VALUE,
                                            Float.NaN,
                                            Float.POSITIVE_INFINITY))
                            : 1f;
            case DOUBLE -> 1d;
            case BOOLEAN -> random.nextBoolean();
            case BYTE_STRING -> ByteString.copyFromUtf8(any(FIT));
        };
    }

    private Object constant(EnumDescriptor type) {
        if (!breaks()) return any(type.getValues());
        return type.findValueByNumberCreatingIfUnknown(random.nextInt(-1, 20));
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private boolean breaks() {
        return random.nextDouble() < broken;
    }
}
