// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.read.Tree.Entry;
import dev.pipecd.config.read.Tree.Place;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// One object of a document while it is read. What was asked for is what is known; when reading is
/// done, the keys nobody asked for are told.
final class Fields {
    private final Findings findings;
    private final Rules rules;
    private final String path;
    private final Place place;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Set<String> known = new LinkedHashSet<>();
    private final ObjectNode shown = JsonNodeFactory.instance.objectNode();

    private Fields(Findings findings, Rules rules, String path, Tree.Mapping mapping) {
        this.findings = findings;
        this.rules = rules;
        this.path = path;
        this.place = mapping.place();
        for (var entry : mapping.entries()) {
            var first = entries.putIfAbsent(rules.fold(entry.key()), entry);
            if (first != null)
                findings.mistake(
                        entry.place(),
                        Telling.path(path, entry.key()),
                        "a second time (expected: once; it is %s in line %d)"
                                .formatted(Telling.oneLine(first.key()), first.place().line()));
        }
    }

    /// Lets `reader` ask its questions, then tells what it did not ask for.
    static <T> Answer<T> read(
            Findings findings,
            Rules rules,
            String path,
            Tree.Mapping mapping,
            Function<Fields, T> reader) {
        var fields = new Fields(findings, rules, path, mapping);
        var value = reader.apply(fields);
        fields.tellUnknown();
        return new Answer<>(value, fields.shown);
    }

    /// What was read, and what of it may be shown.
    record Answer<T>(T value, ObjectNode shown) {}

    /// What is done about keys nobody asked for, and how keys are compared. Case never matters, as
    /// in the public system.
    record Rules(boolean refuseUnknown, boolean snakeCase) {
        static final Rules STRICT = new Rules(true, false);
        static final Rules LENIENT = new Rules(false, false);
        static final Rules STRICT_OR_SNAKE_CASE = new Rules(true, true);

        String fold(String key) {
            var lower = key.toLowerCase(Locale.ROOT);
            return snakeCase ? lower.replace("_", "") : lower;
        }
    }

    Field at(String key) {
        known.add(key);
        var entry = entries.get(rules.fold(key));
        var value = entry == null ? Tree.nothing(place) : entry.value();
        var spot = new Spot(findings, rules, Telling.path(path, key), value.place());
        return new Field(spot, value, json -> shown.set(key, json));
    }

    /// Nothing stands behind the key, as in a file that was cut short; one that may be left out is
    /// left out on purpose.
    boolean isCutShort(String key) {
        var entry = entries.get(rules.fold(key));
        return entry != null && entry.value().isNull();
    }

    /// A key that had a meaning once.
    void outdated(String key, String advice) {
        known.add(key);
        findings.asked(Telling.path(path, key), "outdated");
        var entry = entries.get(rules.fold(key));
        if (entry == null) return;
        findings.warning(
                entry.place(),
                Telling.path(path, entry.key()),
                "%s (ignored: %s)".formatted(Telling.oneLine(entry.key()), advice));
        shown.set(entry.key(), Masked.hidden(entry.value().json()));
    }

    /// Nothing is known of its keys, so nothing is told of them.
    void skip() {
        entries.values()
                .forEach(entry -> {
                    known.add(entry.key());
                    shown.set(entry.key(), Masked.hidden(entry.value().json()));
                });
    }

    /// What concerns the object as a whole.
    void mistake(String text) {
        findings.mistake(place, path, text);
    }

    private void tellUnknown() {
        var folded = new LinkedHashSet<String>();
        known.forEach(key -> folded.add(rules.fold(key)));
        entries.forEach((key, entry) -> {
            if (!folded.contains(key)) tellUnknown(entry);
        });
    }

    private void tellUnknown(Entry entry) {
        var key = Telling.oneLine(entry.key());
        var where = Telling.path(path, entry.key());
        var nearest = Telling.nearest(entry.key(), known);
        if (rules.refuseUnknown()) {
            var expected =
                    nearest.map("a known key; did you mean \"%s\"?"::formatted)
                            .orElseGet(() -> Telling.oneOf(List.copyOf(known)));
            findings.mistake(entry.place(), where, "%s (expected: %s)".formatted(key, expected));
        } else {
            var advice = nearest.map("; did you mean \"%s\"?"::formatted).orElse("");
            findings.warning(
                    entry.place(), where, "%s (ignored: not a known key%s)".formatted(key, advice));
        }
        // A mistyped key may hold a secret.
        shown.set(entry.key(), Masked.hidden(entry.value().json()));
    }
}
