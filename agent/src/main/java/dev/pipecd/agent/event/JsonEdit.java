// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.pipecd.agent.event.FieldPath.Every;
import dev.pipecd.agent.event.FieldPath.Index;
import dev.pipecd.agent.event.FieldPath.Key;
import dev.pipecd.agent.event.FieldPath.Step;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Replaces a value of a JSON file where it stands.
final class JsonEdit {
    private static final JsonFactory JSON = new JsonFactory();

    private final FieldPath path;
    private final String value;
    private final JsonParser parser;
    private final List<Splice> splices = new ArrayList<>();

    private JsonEdit(FieldPath path, String value, JsonParser parser) {
        this.path = path;
        this.value = value;
        this.parser = parser;
    }

    static String apply(String text, FieldPath path, String value) {
        try (var parser = JSON.createParser(text)) {
            var edit = new JsonEdit(path, value, parser);
            edit.walk(parser.nextToken(), path.steps());
            if (edit.splices.isEmpty()) throw path.missing();
            return Splice.apply(text, edit.splices);
        } catch (JsonProcessingException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "line %d: %s (expected: JSON)"
                            .formatted(
                                    e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                                    e.getOriginalMessage()),
                    "Mend the file.",
                    e);
        } catch (IOException e) {
            throw new IllegalStateException(e); // a text has no disk
        }
    }

    private void walk(JsonToken token, List<Step> steps) throws IOException {
        if (token == null) return;
        if (steps.isEmpty()) {
            splices.add(replacement(token));
            return;
        }
        var rest = steps.subList(1, steps.size());
        if (token == JsonToken.START_OBJECT && steps.getFirst() instanceof Key(var name)) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var wanted = parser.currentName().equals(name);
                var next = parser.nextToken();
                if (wanted) walk(next, rest);
                else parser.skipChildren();
            }
        } else if (token == JsonToken.START_ARRAY && !(steps.getFirst() instanceof Key)) {
            for (var i = 0; ; i++) {
                var next = parser.nextToken();
                if (next == JsonToken.END_ARRAY) break;
                if (isWanted(steps.getFirst(), i)) walk(next, rest);
                else parser.skipChildren();
            }
        } else {
            parser.skipChildren();
        }
    }

    private static boolean isWanted(Step step, int index) {
        return switch (step) {
            case Every() -> true;
            case Index(var wanted) -> wanted == index;
            case Key _ -> false;
        };
    }

    private Splice replacement(JsonToken token) throws IOException {
        var start = (int) parser.currentTokenLocation().getCharOffset();
        var before = parser.getText();
        return switch (token) {
            case VALUE_STRING -> {
                parser.finishToken();
                var end = (int) parser.currentLocation().getCharOffset();
                yield before.equals(value)
                        ? new Splice(start, start, "")
                        : new Splice(start, end, quoted());
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
                    new Splice(
                            start,
                            start + before.length(),
                            value.equals(before) || Numeral.comesBack(value) ? value : quoted());
            case VALUE_TRUE, VALUE_FALSE ->
                    new Splice(
                            start,
                            start + before.length(),
                            value.equals("true") || value.equals("false") ? value : quoted());
            default ->
                    throw path.notReplaceable(
                            parser.currentTokenLocation().getLineNr(),
                            token == JsonToken.VALUE_NULL ? "null" : "a list or an object");
        };
    }

    private String quoted() {
        return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(value)) + '"';
    }
}
