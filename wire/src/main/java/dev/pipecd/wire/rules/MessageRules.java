// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.wire.rules;

import build.buf.validate.FieldRules;
import build.buf.validate.ValidateProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The rules of one message type, field by field; fields without any are not looked at.
record MessageRules(List<Field> fields) {
    static MessageRules read(Descriptor type) {
        if (type.getOptions().hasExtension(ValidateProto.message))
            throw new IllegalStateException(
                    "rule: on message " + type.getFullName() + " (expected: rules on fields only)");
        for (var oneof : type.getOneofs())
            if (oneof.getOptions().hasExtension(ValidateProto.oneof))
                throw new IllegalStateException(
                        "rule: on oneof "
                                + oneof.getFullName()
                                + " (expected: rules on fields only)");
        return new MessageRules(
                type.getFields().stream().map(Field::read).filter(Field::matters).toList());
    }

    void check(Message message, Place place, Findings found, RequestRules all) {
        for (var field : fields) {
            if (found.full()) return;
            field.check(message, new Place.Field(place, field.field()), found, all);
        }
    }

    /// What one field must keep: `whole` is asked of a list's or map's size, `keys` and `values` of
    /// what is in it; a plain field has `values` only.
    record Field(
            FieldDescriptor field,
            boolean required,
            List<ValueRule> whole,
            List<ValueRule> keys,
            List<ValueRule> values,
            boolean descends) {

        static Field read(FieldDescriptor field) {
            var rules = field.getOptions().getExtension(ValidateProto.field);
            var own = new RuleReader(field.getFullName(), field).read(rules);
            if (rules.getRequired()
                    && (field.isRepeated() || field.getJavaType() != JavaType.MESSAGE))
                throw new RuleReader(field.getFullName(), field)
                        .unknown("required, but not a message");
            if (field.isMapField()) {
                var key = field.getMessageType().findFieldByNumber(1);
                var value = field.getMessageType().findFieldByNumber(2);
                var keys = within(field, key, rules.getMap().getKeys());
                var values = within(field, value, rules.getMap().getValues());
                return new Field(
                        field, false, own, keys, values, leadsToRules(value, new HashSet<>()));
            }
            var descends = leadsToRules(field, new HashSet<>());
            if (field.isRepeated())
                return new Field(
                        field,
                        false,
                        own,
                        List.of(),
                        within(field, field, rules.getRepeated().getItems()),
                        descends);
            return new Field(field, rules.getRequired(), List.of(), List.of(), own, descends);
        }

        private static List<ValueRule> within(
                FieldDescriptor field, FieldDescriptor value, FieldRules rules) {
            var reader = new RuleReader(field.getFullName(), value);
            if (rules.getRequired()) throw reader.unknown("required, but not a field");
            return reader.read(rules);
        }

        private static boolean leadsToRules(FieldDescriptor field, Set<Descriptor> seen) {
            if (field.getJavaType() != JavaType.MESSAGE || !seen.add(field.getMessageType()))
                return false;
            var type = field.getMessageType();
            return type.getOptions().hasExtension(ValidateProto.message)
                    || type.getOneofs().stream()
                            .anyMatch(oneof -> oneof.getOptions().hasExtension(ValidateProto.oneof))
                    || type.getFields().stream()
                            .anyMatch(inner ->
                                    inner.getOptions().hasExtension(ValidateProto.field)
                                            || leadsToRules(inner, seen));
        }

        boolean matters() {
            return required || descends || !(whole.isEmpty() && keys.isEmpty() && values.isEmpty());
        }

        void check(Message message, Place place, Findings found, RequestRules all) {
            if (field.isMapField()) checkMap((List<?>) message.getField(field), place, found, all);
            else if (field.isRepeated())
                checkList((List<?>) message.getField(field), place, found, all);
            else if (!field.hasPresence() || message.hasField(field))
                checkValue(message.getField(field), place, found, all);
            else if (required) found.add(place, "required", "missing", "a value");
        }

        private void checkMap(List<?> entries, Place place, Findings found, RequestRules all) {
            ask(whole, entries.size(), place, found);
            for (var each : entries) {
                if (found.full()) return;
                var entry = (Message) each;
                var type = entry.getDescriptorForType();
                var key = entry.getField(type.findFieldByNumber(1));
                var here = new Place.Entry(place, key);
                ask(keys, key, here, found);
                checkValue(entry.getField(type.findFieldByNumber(2)), here, found, all);
            }
        }

        private void checkList(List<?> items, Place place, Findings found, RequestRules all) {
            ask(whole, items.size(), place, found);
            if (values.isEmpty() && !descends) return;
            for (var i = 0; i < items.size() && !found.full(); i++)
                checkValue(items.get(i), new Place.Item(place, i), found, all);
        }

        private void checkValue(Object value, Place place, Findings found, RequestRules all) {
            ask(values, value, place, found);
            if (descends) all.check((Message) value, place, found);
        }

        private void ask(List<ValueRule> rules, Object value, Place place, Findings found) {
            for (var rule : rules)
                if (!rule.kept().test(value))
                    found.add(place, rule.name(), shown(rule, value, place), rule.expected());
        }

        private String shown(ValueRule rule, Object value, Place place) {
            if (whole.contains(rule)) return RuleReader.counted((Integer) value, "item");
            return place.secret() ? "(not shown)" : Shown.value(value);
        }
    }
}
