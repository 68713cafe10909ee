// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.config.GoDuration;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Secret;
import dev.pipecd.config.read.Fields.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/// One key of an object while it is read: notes what is wrong with its value and answers something
/// usable, so that reading goes on to the next mistake. What it answers is also what is shown of
/// it.
final class Field {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private final Spot spot;
    private final Tree value;
    private final Consumer<JsonNode> shown;

    Field(Spot spot, Tree value, Consumer<JsonNode> shown) {
        this.spot = spot;
        this.value = value;
        this.shown = shown;
    }

    /// A null counts as not written, as in the public system.
    boolean isWritten() {
        return !value.isNull();
    }

    String path() {
        return spot.path();
    }

    /// The last part of the path.
    String key() {
        return path().substring(path().lastIndexOf('.') + 1);
    }

    void mistake(String text) {
        spot.mistake(text);
    }

    void warn(String text) {
        spot.warn(text);
    }

    String text() {
        return text("");
    }

    /// An empty text counts as not written, as in the public system.
    String text(String otherwise) {
        spot.asked("text", otherwise);
        var written = isWritten() ? spot.text(value) : "";
        var text = written.isEmpty() ? otherwise : written;
        if (!text.isEmpty()) shown.accept(JSON.textNode(text));
        return text;
    }

    /// Not blank. The answer to a missing one is never seen: a mistake has been noted.
    String required() {
        requireText("text");
        var text = text();
        return text.isBlank() ? "missing" : text;
    }

    /// One of the names given; empty when it is not written or something else.
    Optional<String> choice(Collection<String> names) {
        spot.asked("choice", "", names);
        var text = text();
        if (text.isEmpty() || names.contains(text))
            return Optional.of(text).filter(written -> !written.isEmpty());
        var meant =
                Telling.nearest(text, names).map("; did you mean \"%s\"?"::formatted).orElse("");
        mistake("%s (expected: %s%s)".formatted(Telling.quoted(text), Telling.oneOf(names), meant));
        return Optional.empty();
    }

    String choice(Collection<String> names, String otherwise) {
        spot.asked("choice", otherwise, names);
        return choice(names).orElse(otherwise);
    }

    /// The same, when it must be written.
    Optional<String> requiredChoice(Collection<String> names) {
        requireText(Telling.oneOf(names));
        return choice(names).filter(name -> !name.isBlank());
    }

    void requireText(String expected) {
        spot.asked("required");
        var blank = value.isText() && value.json().textValue().isBlank();
        if (!isWritten() || blank) mistake("missing (expected: %s)".formatted(expected));
    }

    /// Text that is not shown, though it need not be a secret by itself.
    String hidden() {
        spot.asked("hidden");
        if (!isWritten()) return "";
        if (!value.isText()) {
            mistake("%s (expected: text)".formatted(Telling.kind(value)));
            return "";
        }
        shown.accept(Masked.hidden(value.json()));
        return value.json().textValue();
    }

    Secret secret() {
        return secret("");
    }

    Secret secret(String otherwise) {
        spot.asked("secret", otherwise);
        var written = hidden();
        return Secret.written(spot.path(), written.isEmpty() ? otherwise : written);
    }

    /// What a reference leads to is looked at when it is used; what stands here, now.
    Secret base64() {
        spot.asked("secret in Base64");
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
        spot.asked("path");
        return Secret.inFile(spot.path(), hidden());
    }

    /// A path as in the public system, or a reference as secrets have it.
    Secret fileOrReference() {
        spot.asked("path, or `env:NAME`");
        var text = text();
        return Secret.isReference(text)
                ? Secret.written(path(), text)
                : Secret.inFile(path(), text);
    }

    /// An address that may hold a password, which is not shown.
    String remote() {
        var remote = required();
        shown.accept(JSON.textNode(remote.replaceFirst("://[^/]*@", "://" + Secret.MASK + "@")));
        return remote;
    }

    /// An address whose question may hold a signature, which is not shown.
    String signed(String otherwise) {
        var address = text(otherwise);
        shown.accept(JSON.textNode(PipedConfig.Plugin.withoutSignature(address)));
        return address;
    }

    boolean flag(boolean otherwise) {
        spot.asked("flag", otherwise);
        var isFlag = value.json().isBoolean();
        if (isWritten() && !isFlag) spot.wrong(value, "true or false");
        var flag = isFlag ? value.json().booleanValue() : otherwise;
        shown.accept(JSON.booleanNode(flag));
        return flag;
    }

    /// A whole number; zero counts as not written.
    int count(int otherwise, int least, int most) {
        spot.asked("number", otherwise, least, most);
        var json = value.json();
        var isCount =
                json.isIntegralNumber()
                        && json.canConvertToInt()
                        && json.intValue() >= least
                        && json.intValue() <= most;
        if (isWritten() && !isCount)
            spot.wrong(value, "a whole number from %d to %d".formatted(least, most));
        var count = isCount && json.intValue() != 0 ? json.intValue() : otherwise;
        shown.accept(JSON.numberNode(count));
        return count;
    }

    /// Never negative; zero counts as not written.
    Duration duration(Duration otherwise) {
        spot.asked("duration", otherwise);
        var duration = isWritten() ? written(otherwise) : otherwise;
        shown.accept(JSON.textNode(GoDuration.format(duration)));
        return duration;
    }

    Duration duration(Duration otherwise, Duration least) {
        spot.asked("duration", otherwise, least);
        var duration = duration(otherwise);
        if (duration.compareTo(least) < 0)
            spot.wrong(value, "at least " + GoDuration.format(least));
        return duration;
    }

    /// Zero when it is not written. What is too short deletes or ends what is still needed.
    Duration durationIfAny(Duration least) {
        spot.asked("duration", Duration.ZERO, least);
        var duration = duration(Duration.ZERO);
        if (!duration.isZero() && duration.compareTo(least) < 0)
            mistake(
                    "%s (expected: at least %s, or nothing)"
                            .formatted(GoDuration.format(duration), GoDuration.format(least)));
        return duration;
    }

    private Duration written(Duration otherwise) {
        var json = value.json();
        var bare = json.isNumber() && json.canConvertToExactIntegral() && json.canConvertToLong();
        var length =
                bare
                        ? Optional.of(Duration.ofNanos(json.longValue()))
                        : GoDuration.parse(json.asText(""));
        if (length.isEmpty() || length.get().isNegative()) {
            spot.wrong(value, "a duration such as 1m30s or 500ms, not negative");
            return otherwise;
        }
        if (length.get().isZero()) return otherwise;
        if (bare && length.get().compareTo(MILLISECOND) < 0)
            warn(
                    "%1$d (taken as nanoseconds; did you mean \"%1$ds\"?)"
                            .formatted(json.longValue()));
        return length.get();
    }

    List<String> texts() {
        return texts((_, _) -> {});
    }

    /// `check` looks at each text and tells what it thinks of it on the spot.
    List<String> texts(BiConsumer<Spot, String> check) {
        spot.asked("list");
        var texts = new ArrayList<String>();
        var array = JSON.arrayNode();
        for (var item : items()) {
            var inside = spot.inside(item, "[" + texts.size() + "]");
            var text = inside.text(item);
            if (item.isText()) check.accept(inside, text);
            texts.add(text);
            array.add(text);
        }
        if (!texts.isEmpty()) shown.accept(array);
        return texts;
    }

    /// An object whose keys are names of the author's own.
    Map<String, String> pairs() {
        return pairs((_, _, _) -> {});
    }

    Map<String, String> pairs(PairCheck check) {
        spot.asked("pairs");
        var pairs = new LinkedHashMap<String, String>();
        var object = JSON.objectNode();
        for (var entry : entries()) {
            var inside = spot.inside(entry.value(), "." + Telling.oneLine(entry.key()));
            var text = entry.value().isNull() ? "" : inside.text(entry.value());
            if (entry.value().isNull() || entry.value().isText())
                check.look(inside, entry.key(), text);
            pairs.put(entry.key(), text);
            object.put(entry.key(), text);
        }
        if (!pairs.isEmpty()) shown.accept(object);
        return pairs;
    }

    /// Looks at one pair and tells what it thinks of it on the spot.
    interface PairCheck {
        void look(Spot spot, String name, String text);
    }

    /// Whatever the author wrote, for somebody else to read.
    JsonNode json() {
        spot.asked("any");
        if (isWritten()) shown.accept(Masked.hidden(value.json()));
        return value.json();
    }

    /// The same, when it must be an object; empty when it is not written.
    ObjectNode object() {
        spot.asked("object");
        if (json() instanceof ObjectNode object) return object;
        if (isWritten()) spot.wrong(value, "an object");
        return JSON.objectNode();
    }

    /// Values under names of the author's own, for somebody else to read.
    Map<String, JsonNode> jsonByName() {
        spot.asked("object");
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
            var inside = spot.inside(item, "[" + index++ + "]");
            if (item instanceof Tree.Mapping mapping) {
                var answer = Fields.read(spot.findings(), rules, inside.path(), mapping, reader);
                read.add(answer.value());
                array.add(answer.shown());
            } else {
                inside.wrong(item, "an object");
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
        var mapping = new Tree.Mapping(spot.place(), entries());
        var answer = Fields.read(spot.findings(), rules, spot.path(), mapping, reader);
        if (!answer.shown().isEmpty()) shown.accept(answer.shown());
        return answer.value();
    }

    private List<Tree> items() {
        if (value instanceof Tree.Sequence(_, var items)) return items;
        if (isWritten()) spot.wrong(value, "a list");
        return List.of();
    }

    private List<Tree.Entry> entries() {
        if (value instanceof Tree.Mapping(_, var entries)) return entries;
        if (isWritten()) spot.wrong(value, "an object");
        return List.of();
    }
}
