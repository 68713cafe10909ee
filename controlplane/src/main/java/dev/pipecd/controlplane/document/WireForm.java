// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.document;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// A stored document turned into the bytes its message travels in, in one pass: no tree of the text
/// and no message is made, which is most of the cost of reading one.
final class WireForm {
    private static final Map<Descriptor, Shape> SHAPES = new ConcurrentHashMap<>();

    private byte[] bytes = new byte[1 << 10];
    private int size;

    /// The object at which `json` stands.
    ByteString of(Descriptor type, JsonParser json) throws IOException {
        size = 0;
        fields(shape(type), json);
        return ByteString.copyFrom(bytes, 0, size);
    }

    private static Shape shape(Descriptor type) {
        var known = SHAPES.get(type);
        return known == null ? SHAPES.computeIfAbsent(type, Shape::new) : known;
    }

    private void fields(Shape shape, JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        for (var name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            var token = json.nextToken();
            var field = shape.fields.get(name);
            if (field == null) json.skipChildren(); // of newer software
            else if (token != JsonToken.VALUE_NULL) field(field, json);
        }
    }

    private void field(Slot slot, JsonParser json) throws IOException {
        if (slot.entry.isPresent()) entries(slot, json);
        else if (slot.many) items(slot, json);
        else single(slot, json);
    }

    private void items(Slot slot, JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            json.skipChildren();
            return;
        }
        while (json.nextToken() != JsonToken.END_ARRAY) single(slot, json);
    }

    private void entries(Slot slot, JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            json.skipChildren();
            return;
        }
        var entry = slot.entry.orElseThrow();
        for (var key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
            json.nextToken();
            varint(slot.tag);
            var start = open();
            key(entry.key, key);
            single(entry.value, json);
            close(start);
        }
    }

    private void key(Slot slot, String key) {
        varint(slot.tag);
        var _ =
                switch (slot.field.getJavaType()) {
                    case STRING -> text(key);
                    case BOOLEAN -> varint(Boolean.parseBoolean(key) ? 1 : 0);
                    default -> varint(Long.parseLong(key));
                };
    }

    private void single(Slot slot, JsonParser json) throws IOException {
        var before = size;
        varint(slot.tag);
        var written = value(slot, json);
        if (!written && slot.zeroIsLeftOut) size = before;
        json.skipChildren(); // where a plain value was expected
    }

    /// Whether it is something else than the value that is meant by nothing.
    private boolean value(Slot slot, JsonParser json) throws IOException {
        return switch (slot.type) {
            case MESSAGE -> {
                var start = open();
                fields(shape(slot.field.getMessageType()), json);
                close(start);
                yield true;
            }
            case STRING -> text(scalar(json));
            case BYTES -> delimited(Base64.getDecoder().decode(scalar(json)));
            case BOOL -> varint(json.getValueAsBoolean() ? 1 : 0);
            case INT32, INT64, UINT64, ENUM -> varint(json.getValueAsLong());
            case UINT32 -> varint(json.getValueAsLong() & 0xffff_ffffL);
            case DOUBLE -> fixed(Double.doubleToRawLongBits(json.getValueAsDouble()), 8);
            case FLOAT -> fixed(Float.floatToRawIntBits((float) json.getValueAsDouble()), 4);
            case FIXED64, SFIXED64 -> fixed(json.getValueAsLong(), 8);
            case FIXED32, SFIXED32 -> fixed(json.getValueAsLong(), 4);
            case SINT32, SINT64 -> {
                var value = json.getValueAsLong();
                yield varint((value << 1) ^ (value >> 63));
            }
            case GROUP -> throw new IllegalArgumentException("field: a group (expected: none)");
        };
    }

    private static String scalar(JsonParser json) throws IOException {
        return json.currentToken().isScalarValue() && json.currentToken() != JsonToken.VALUE_NULL
                ? json.getText()
                : "";
    }

    private boolean text(String text) {
        return delimited(text.getBytes(StandardCharsets.UTF_8));
    }

    private boolean delimited(byte[] content) {
        varint(content.length);
        room(content.length);
        System.arraycopy(content, 0, bytes, size, content.length);
        size += content.length;
        return content.length > 0;
    }

    /// Leaves room for the length of most things, which is one byte.
    private int open() {
        room(1);
        return size++;
    }

    private void close(int start) {
        var length = size - start - 1;
        var more = lengthOf(length) - 1;
        if (more > 0) {
            room(more);
            System.arraycopy(bytes, start + 1, bytes, start + 1 + more, length);
        }
        size = start;
        varint(length);
        size += length;
    }

    private static int lengthOf(int number) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(number)) / 7);
    }

    private boolean varint(long number) {
        room(10);
        var rest = number;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return number != 0;
    }

    private boolean fixed(long number, int width) {
        room(width);
        for (var n = 0; n < width; n++) bytes[size++] = (byte) (number >>> (8 * n));
        return number != 0;
    }

    private void room(int more) {
        if (bytes.length - size < more) bytes = Arrays.copyOf(bytes, 2 * (size + more));
    }

    /// The fields of a message by their names in the document.
    private static final class Shape {
        private final Map<String, Slot> fields = new HashMap<>();

        Shape(Descriptor type) {
            type.getFields().forEach(field -> fields.put(field.getName(), new Slot(field)));
        }
    }

    private static final class Slot {
        private final FieldDescriptor field;
        private final FieldDescriptor.Type type;
        private final boolean many;
        private final int tag;
        private final boolean zeroIsLeftOut;
        private final Optional<Entry> entry;

        Slot(FieldDescriptor field) {
            this.field = field;
            this.type = field.getType();
            this.many = field.isRepeated();
            this.tag = field.getNumber() << 3 | wireType(field);
            var inMap = field.getContainingType().getOptions().getMapEntry();
            this.zeroIsLeftOut = !field.isRepeated() && !field.hasPresence() && !inMap;
            this.entry = field.isMapField() ? Optional.of(new Entry(field)) : Optional.empty();
        }

        /// Each item stands for itself: readers take lists of numbers packed and unpacked.
        private static int wireType(FieldDescriptor field) {
            return switch (field.getType()) {
                case MESSAGE, STRING, BYTES -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
                case DOUBLE, FIXED64, SFIXED64 -> WireFormat.WIRETYPE_FIXED64;
                case FLOAT, FIXED32, SFIXED32 -> WireFormat.WIRETYPE_FIXED32;
                default -> WireFormat.WIRETYPE_VARINT;
            };
        }
    }

    private record Entry(Slot key, Slot value) {
        Entry(FieldDescriptor map) {
            this(
                    new Slot(map.getMessageType().findFieldByNumber(1)),
                    new Slot(map.getMessageType().findFieldByNumber(2)));
        }
    }
}
