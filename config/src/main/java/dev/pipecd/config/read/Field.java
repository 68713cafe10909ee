// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.GoDuration;
import dev.pipecd.config.Secret;
import dev.pipecd.config.read.Fields.Rules;
import dev.pipecd.config.read.Tree.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// One key of an object while it is read: notes what is wrong with its value and answers something
/// usable, so that reading goes on to the next mistake. What it answers is also what is shown of
/// it.
final class Field {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final Spot spot;
    private final Optional<Tree> value;
    private final Consumer<JsonNode> shown;

    Field(Spot spot, Optional<Tree> value, Consumer<JsonNode> shown) {
        this.spot = spot;
        this.value = value;
        this.shown = shown;
    }

    /// Where a value stands; where the object begins that should hold it, when it is missing.
    record Spot(Findings findings, Rules rules, String path, Place place) {
        void mistake(String text) {
            findings.mistake(place, path, text);
        }

        Spot of(Tree part, String deeper) {
            return new Spot(findings, rules, path + deeper, part.place());
        }
    }

    boolean isWritten() {
        return value.isPresent();
    }

    String path() {
        return spot.path();
    }

    void mistake(String text) {
        spot.mistake(text);
    }

    void warn(String text) {
        spot.findings().warning(spot.place(), spot.path(), text);
    }

    String text() {
        return text("");
    }

    /// An empty text counts as not written, as in the public system.
    String text(String otherwise) {
        var text =
                value.map(tree -> textOf(tree, spot))
                        .filter(written -> !written.isEmpty())
                        .orElse(otherwise);
        if (!text.isEmpty()) shown.accept(JSON.textNode(text));
        return text;
    }

    /// Not blank. The answer to a missing one is never seen: a mistake has been noted.
    String required() {
        var text = text();
        if (!text.isBlank()) return text;
        var written =
                value.filter(
                        tree -> !(tree instanceof Tree.Scalar(_, var json, _) && json.isTextual()));
        if (written.isEmpty()) mistake("missing (expected: text)");
        return "missing";
    }

    /// One of the names given; empty when it is not written or something else.
    Optional<String> choice(Collection<String> names) {
        var text = text();
        if (text.isEmpty() || names.contains(text))
            return Optional.of(text).filter(written -> !written.isEmpty());
        var meant =
                Telling.nearest(text, names).map("; did you mean \"%s\"?"::formatted).orElse("");
        mistake("%s (expected: %s%s)".formatted(Telling.quoted(text), Telling.oneOf(names), meant));
        return Optional.empty();
    }

    /// The same, when it must be written.
    Optional<String> requiredChoice(Collection<String> names) {
        if (!isWritten()) mistake("missing (expected: %s)".formatted(Telling.oneOf(names)));
        return choice(names);
    }

    /// Text that is not shown, though it need not be a secret by itself.
    String hidden() {
        var text =
                value.map(
                                tree -> {
                                    if (tree instanceof Tree.Scalar(_, var json, _)
                                            && json.isTextual()) return json.textValue();
                                    mistake("%s (expected: text)".formatted(Telling.kind(tree)));
                                    return "";
                                })
                        .orElse("");
        if (!text.isEmpty()) shown.accept(Masked.hidden(JSON.textNode(text)));
        return text;
    }

    Secret secret() {
        return Secret.written(spot.path(), hidden());
    }

    /// What a reference leads to is looked at when it is used; what stands here, now.
    Secret base64() {
        var text = hidden();
        var secret = Secret.written(spot.path(), text).base64();
        if (Secret.isReference(text)) return secret;
        try {
            secret.reveal();
        } catch (RuntimeException e) {
            mistake(Secret.MASK + " (expected: Base64)");
        }
        return secret;
    }

    /// The content of the file named here.
    Secret file() {
        return Secret.inFile(spot.path(), hidden());
    }

    boolean flag(boolean otherwise) {
        var flag =
                value.map(
                                tree -> {
                                    if (tree instanceof Tree.Scalar(_, var json, _)
                                            && json.isBoolean()) return json.booleanValue();
                                    wrong(spot, tree, "true or false");
                                    return otherwise;
                                })
                        .orElse(otherwise);
        shown.accept(JSON.booleanNode(flag));
        return flag;
    }

    /// A whole number from `least` on; zero counts as not written.
    int count(int otherwise, int least, int most) {
        var count =
                value.map(
                                tree -> {
                                    if (tree instanceof Tree.Scalar(_, var json, _)
                                            && json.isIntegralNumber()
                                            && json.canConvertToInt()
                                            && json.intValue() >= least
                                            && json.intValue() <= most) return json.intValue();
                                    wrong(
                                            spot,
                                            tree,
                                            "a whole number from %d to %d".formatted(least, most));
                                    return 0;
                                })
                        .filter(written -> written != 0)
                        .orElse(otherwise);
        shown.accept(JSON.numberNode(count));
        return count;
    }

    /// Never negative; zero counts as not written.
    Duration duration(Duration otherwise) {
        var duration =
                value.flatMap(this::durationOf)
                        .filter(length -> !length.isZero())
                        .orElse(otherwise);
        shown.accept(JSON.textNode(GoDuration.format(duration)));
        return duration;
    }

    private Optional<Duration> durationOf(Tree tree) {
        var length =
                switch (tree) {
                    case Tree.Scalar(_, var json, _) when json.isTextual() ->
                            GoDuration.parse(json.textValue());
                    case Tree.Scalar(_, var json, _)
                            when json.isNumber()
                                    && json.canConvertToExactIntegral()
                                    && json.canConvertToLong() ->
                            Optional.of(Duration.ofNanos(json.longValue()));
                    case Tree _ -> Optional.<Duration>empty();
                };
        var usable = length.filter(written -> !written.isNegative());
        if (usable.isEmpty()) wrong(spot, tree, "a duration such as 1m30s or 500ms, not negative");
        var bare = tree instanceof Tree.Scalar(_, var json, _) && json.isNumber();
        if (bare
                && usable.filter(written ->
                                written.isPositive() && written.compareTo(MILLISECOND) < 0)
                        .isPresent())
            warn(
                    "%1$s (taken as nanoseconds; did you mean \"%1$ss\"?)"
                            .formatted(Telling.value(tree)));
        return usable;
    }

    List<String> texts() {
        var texts = new ArrayList<String>();
        for (var item : items()) texts.add(textOf(item, spot.of(item, "[" + texts.size() + "]")));
        var array = JSON.arrayNode();
        texts.forEach(array::add);
        if (!texts.isEmpty()) shown.accept(array);
        return texts;
    }

    /// An object whose keys are names of the author's own.
    Map<String, String> pairs() {
        var pairs = new LinkedHashMap<String, String>();
        for (var entry : entries()) {
            var inside = spot.of(entry.value(), "." + Telling.oneLine(entry.key()));
            pairs.put(entry.key(), entry.value().isNull() ? "" : textOf(entry.value(), inside));
        }
        var object = JSON.objectNode();
        pairs.forEach(object::put);
        if (!pairs.isEmpty()) shown.accept(object);
        return pairs;
    }

    /// Whatever the author wrote, for somebody else to read.
    JsonNode json() {
        var json = value.map(Tree::json).orElse(JSON.nullNode());
        if (!json.isNull()) shown.accept(Masked.hidden(json));
        return json;
    }

    /// The same, when it must be an object; empty when it is not written.
    ObjectNode object() {
        var json = json();
        if (json instanceof ObjectNode object) return object;
        value.ifPresent(tree -> wrong(spot, tree, "an object"));
        return JSON.objectNode();
    }

    /// Values under names of the author's own, for somebody else to read.
    Map<String, JsonNode> jsonByName() {
        var values = new LinkedHashMap<String, JsonNode>();
        entries().forEach(entry -> values.put(entry.key(), entry.value().json()));
        json();
        return values;
    }

    /// Objects in a list.
    <T> List<T> each(Function<Fields, T> reader) {
        return each(spot.rules(), reader);
    }

    <T> List<T> each(Rules rules, Function<Fields, T> reader) {
        var read = new ArrayList<T>();
        var array = JSON.arrayNode();
        var index = 0;
        for (var item : items()) {
            var inside = spot.of(item, "[" + index++ + "]");
            if (item instanceof Tree.Mapping mapping) {
                var answer = Fields.read(spot.findings(), rules, inside.path(), mapping, reader);
                read.add(answer.value());
                array.add(answer.shown());
            } else {
                wrong(inside, item, "an object");
            }
        }
        if (!array.isEmpty()) shown.accept(array);
        return read;
    }

    /// An object of its own; one that is not written is read as an empty one, so that defaults have
    /// one place.
    <T> T section(Function<Fields, T> reader) {
        return section(spot.rules(), reader);
    }

    <T> T section(Rules rules, Function<Fields, T> reader) {
        var mapping =
                value.map(
                                tree -> {
                                    if (tree instanceof Tree.Mapping object) return object;
                                    wrong(spot, tree, "an object");
                                    return new Tree.Mapping(tree.place(), List.of());
                                })
                        .orElseGet(() -> new Tree.Mapping(spot.place(), List.of()));
        var answer = Fields.read(spot.findings(), rules, spot.path(), mapping, reader);
        if (!answer.shown().isEmpty()) shown.accept(answer.shown());
        return answer.value();
    }

    private List<Tree> items() {
        return value.map(
                        tree -> {
                            if (tree instanceof Tree.Sequence(_, var items)) return items;
                            wrong(spot, tree, "a list");
                            return List.<Tree>of();
                        })
                .orElse(List.of());
    }

    private List<Tree.Entry> entries() {
        return value.map(
                        tree -> {
                            if (tree instanceof Tree.Mapping(_, var entries)) return entries;
                            wrong(spot, tree, "an object");
                            return List.<Tree.Entry>of();
                        })
                .orElse(List.of());
    }

    private static String textOf(Tree tree, Spot spot) {
        if (tree instanceof Tree.Scalar(_, var json, _) && json.isTextual())
            return json.textValue();
        var quoting =
                tree instanceof Tree.Scalar && !tree.isNull() ? "text; put it in quotes" : "text";
        wrong(spot, tree, quoting);
        return "";
    }

    private static void wrong(Spot spot, Tree tree, String expected) {
        spot.mistake("%s (expected: %s)".formatted(Telling.value(tree), expected));
    }
}
