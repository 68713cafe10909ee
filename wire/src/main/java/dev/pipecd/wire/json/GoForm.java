// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.json;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Messages as the public system writes them into databases and files: keys are the proto's field
/// names, zero values are left out, enums and 64-bit numbers are plain numbers, bytes are base64.
/// They are read from the bytes a message travels in, which generated code writes; to ask a message
/// for its fields one by one goes by reflection and costs several times as much.
///
/// @param nodes of the JSON library its caller has
public record GoForm<N>(Nodes<N> nodes) {
    private static final Map<Descriptor, Shape> SHAPES = new ConcurrentHashMap<>();

    public N of(Message message) {
        var bytes = CodedInputStream.newInstance(message.toByteArray());
        try {
            return object(shape(message.getDescriptorForType()), bytes);
        } catch (IOException e) {
            throw new IllegalStateException("wire form: broken", e); // it was made just now
        }
    }

    private static Shape shape(Descriptor type) {
        var known = SHAPES.get(type);
        return known == null ? SHAPES.computeIfAbsent(type, Shape::new) : known;
    }

    private N object(Shape shape, CodedInputStream in) throws IOException {
        var object = nodes.object();
        var lists = new HashMap<Slot, N>();
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            var slot = shape.slots.get(WireFormat.getTagFieldNumber(tag));
            if (slot == null) in.skipField(tag); // of newer software
            else if (slot.entry.isPresent())
                entry(slot.entry.get(), listed(lists, slot, object, nodes::object), in);
            else if (slot.many) items(slot, tag, listed(lists, slot, object, nodes::array), in);
            else nodes.put(object, slot.name, value(slot, in));
        }
        return object;
    }

    /// What gathers the items of a field, made when the first of them comes.
    private N listed(Map<Slot, N> lists, Slot slot, N object, Supplier<N> empty) {
        var known = lists.get(slot);
        if (known != null) return known;
        var list = empty.get();
        lists.put(slot, list);
        nodes.put(object, slot.name, list);
        return list;
    }

    private void items(Slot slot, int tag, N array, CodedInputStream in) throws IOException {
        var packed =
                slot.field.isPackable()
                        && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
        if (!packed) {
            nodes.add(array, value(slot, in));
            return;
        }
        var limit = in.pushLimit(in.readRawVarint32());
        while (in.getBytesUntilLimit() > 0) nodes.add(array, value(slot, in));
        in.popLimit(limit);
    }

    private void entry(Entry entry, N object, CodedInputStream in) throws IOException {
        var limit = in.pushLimit(in.readRawVarint32());
        var key = String.valueOf(entry.key.field.getDefaultValue());
        Optional<N> value = Optional.empty();
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> key = key(entry.key, in);
                case 2 -> value = Optional.of(value(entry.value, in));
                default -> in.skipField(tag);
            }
        }
        in.popLimit(limit);
        nodes.put(object, key, value.isPresent() ? value.get() : nothing(entry.value));
    }

    private static String key(Slot slot, CodedInputStream in) throws IOException {
        return switch (slot.field.getType()) {
            case STRING -> in.readString();
            case BOOL -> String.valueOf(in.readBool());
            case UINT32 -> Integer.toUnsignedString(in.readUInt32());
            case INT32 -> String.valueOf(in.readInt32());
            case INT64 -> String.valueOf(in.readInt64());
            default ->
                    throw new IllegalArgumentException(
                            "key: a %s (expected: text, truth or a number)"
                                    .formatted(slot.field.getType()));
        };
    }

    /// What is meant by a value that is left out.
    private N nothing(Slot slot) {
        return switch (slot.field.getJavaType()) {
            case INT, LONG, ENUM -> nodes.number(0);
            case FLOAT -> nodes.number(0f);
            case DOUBLE -> nodes.number(0.0);
            case BOOLEAN -> nodes.truth(false);
            case STRING, BYTE_STRING -> nodes.text("");
            case MESSAGE -> nodes.object();
        };
    }

    private N value(Slot slot, CodedInputStream in) throws IOException {
        return switch (slot.field.getType()) {
            case MESSAGE -> {
                var limit = in.pushLimit(in.readRawVarint32());
                var object = object(shape(slot.field.getMessageType()), in);
                in.popLimit(limit);
                yield object;
            }
            case STRING -> nodes.text(in.readString());
            case BYTES -> nodes.text(Base64.getEncoder().encodeToString(in.readByteArray()));
            case BOOL -> nodes.truth(in.readBool());
            case ENUM -> nodes.number(in.readEnum());
            case INT32 -> nodes.number((long) in.readInt32());
            case SINT32 -> nodes.number((long) in.readSInt32());
            case SFIXED32 -> nodes.number((long) in.readSFixed32());
            case UINT32 -> nodes.number(Integer.toUnsignedLong(in.readUInt32()));
            case FIXED32 -> nodes.number(Integer.toUnsignedLong(in.readFixed32()));
            case INT64 -> nodes.number(in.readInt64());
            case UINT64 -> nodes.number(in.readUInt64());
            case SINT64 -> nodes.number(in.readSInt64());
            case FIXED64 -> nodes.number(in.readFixed64());
            case SFIXED64 -> nodes.number(in.readSFixed64());
            case FLOAT -> nodes.number(in.readFloat());
            case DOUBLE -> nodes.number(in.readDouble());
            case GROUP -> throw new IllegalArgumentException("field: a group (expected: none)");
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

    /// The fields of a message by their numbers on the wire.
    private static final class Shape {
        private final Map<Integer, Slot> slots = new HashMap<>();

        Shape(Descriptor type) {
            type.getFields().forEach(field -> slots.put(field.getNumber(), new Slot(field)));
        }
    }

    private static final class Slot {
        private final FieldDescriptor field;
        private final String name;
        private final boolean many;
        private final Optional<Entry> entry;

        Slot(FieldDescriptor field) {
            this.field = field;
            this.name = field.getName();
            this.many = field.isRepeated();
            this.entry = field.isMapField() ? Optional.of(new Entry(field)) : Optional.empty();
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
