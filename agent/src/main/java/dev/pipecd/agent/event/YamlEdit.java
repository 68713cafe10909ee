// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.agent.event.FieldPath.Every;
import dev.pipecd.agent.event.FieldPath.Index;
import dev.pipecd.agent.event.FieldPath.Key;
import dev.pipecd.agent.event.FieldPath.Step;
import dev.pipecd.domain.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/// Replaces a value of a YAML file where it stands, in each of its documents that has the field.
/// The file is only looked at: comments, order and layout stay.
final class YamlEdit {
    private final String text;
    private final FieldPath path;
    private final Parser parser;
    private final List<ScalarEvent> found = new ArrayList<>();
    private int points;
    private int chars;

    private YamlEdit(String text, FieldPath path) {
        var options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        this.text = text;
        this.path = path;
        this.parser = new ParserImpl(new StreamReader(text), options);
    }

    static String apply(String text, FieldPath path, String value) {
        var edit = new YamlEdit(text, path);
        var splices = new ArrayList<Splice>();
        for (var scalar : edit.find()) {
            var from = edit.offset(scalar.getStartMark());
            var to = edit.offset(scalar.getEndMark());
            splices.add(new YamlScalar(scalar, text.substring(from, to)).with(from, value));
        }
        if (splices.isEmpty()) throw path.missing();
        var changed = Splice.apply(text, splices);
        edit.requireAsMeant(changed, value);
        return changed;
    }

    /// A value that broke the file, or came out as another one, must not be committed.
    private void requireAsMeant(String changed, String value) {
        var again = new YamlEdit(changed, path).find();
        if (again.size() == found.size()
                && again.stream().allMatch(scalar -> YamlScalar.says(scalar, value))) return;
        throw new Problem(
                Problem.Code.CONFIG_INVALID,
                "%s: the new value does not fit where it would stand (expected: a plain or quoted value)"
                        .formatted(path.written()),
                "Write the field on a line of its own, in quotes.");
    }

    private List<ScalarEvent> find() {
        try {
            for (var event = parser.getEvent(); !event.is(Event.ID.StreamEnd); ) {
                if (event.is(Event.ID.DocumentStart)) walk(parser.getEvent(), path.steps());
                event = parser.getEvent();
            }
            return found;
        } catch (MarkedYAMLException e) {
            throw unreadable(
                    line(e.getProblemMark()), Objects.toString(e.getProblem(), "broken"), e);
        } catch (YAMLException e) {
            throw unreadable(1, "unreadable", e);
        }
    }

    private static Problem unreadable(int line, String what, Exception cause) {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                "line %d: %s (expected: YAML)".formatted(line, what.replaceAll("\\s+", " ")),
                "Mend the file; one that is no YAML, such as a template, is edited by `regex`.",
                cause);
    }

    private void walk(Event event, List<Step> steps) {
        if (steps.isEmpty()) {
            found.add(scalar(event));
            return;
        }
        var rest = steps.subList(1, steps.size());
        if (event instanceof MappingStartEvent && steps.getFirst() instanceof Key(var name)) {
            for (var key = parser.getEvent();
                    !key.is(Event.ID.MappingEnd);
                    key = parser.getEvent()) {
                var wanted = key instanceof ScalarEvent scalar && scalar.getValue().equals(name);
                skip(key);
                if (wanted) walk(parser.getEvent(), rest);
                else skip(parser.getEvent());
            }
        } else if (event instanceof SequenceStartEvent && !(steps.getFirst() instanceof Key)) {
            var i = 0;
            for (var item = parser.getEvent();
                    !item.is(Event.ID.SequenceEnd);
                    item = parser.getEvent()) {
                if (isWanted(steps.getFirst(), i++)) walk(item, rest);
                else skip(item);
            }
        } else if (event instanceof AliasEvent) {
            throw alias(event);
        } else {
            skip(event);
        }
    }

    private static boolean isWanted(Step step, int index) {
        return switch (step) {
            case Every() -> true;
            case Index(var wanted) -> wanted == index;
            case Key _ -> false;
        };
    }

    private ScalarEvent scalar(Event event) {
        if (event instanceof AliasEvent) throw alias(event);
        if (event instanceof ScalarEvent scalar && !YamlScalar.isNull(scalar)) return scalar;
        throw path.notReplaceable(
                line(event.getStartMark()),
                event instanceof ScalarEvent ? "null" : "a list or an object");
    }

    /// What is changed there would change in other places too.
    private Problem alias(Event event) {
        return path.notReplaceable(line(event.getStartMark()), "an alias");
    }

    private void skip(Event first) {
        var depth = 0;
        for (var event = first; ; event = parser.getEvent()) {
            if (event.is(Event.ID.MappingStart) || event.is(Event.ID.SequenceStart)) depth++;
            if (event.is(Event.ID.MappingEnd) || event.is(Event.ID.SequenceEnd)) depth--;
            if (depth == 0) return;
        }
    }

    private static int line(Mark mark) {
        return mark == null ? 1 : mark.getLine() + 1;
    }

    /// Counts on from where it was asked last, which is before: from the beginning each time, a
    /// long list would take hours.
    private int offset(Mark mark) {
        chars = text.offsetByCodePoints(chars, mark.getIndex() - points);
        points = mark.getIndex();
        return chars;
    }
}
