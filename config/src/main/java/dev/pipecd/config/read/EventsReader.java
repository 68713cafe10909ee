// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ApplicationConfig.EventUpdate;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ApplicationConfig.Replacement;
import java.util.List;

/// The `events` of a file of `.pipe`, whose paths are relative to the repository's root.
final class EventsReader {
    private EventsReader() {}

    static List<EventWatch> read(Field events) {
        var read = events.each(EventsReader::event);
        if (read.isEmpty()) events.mistake("empty (expected: at least one event)");
        return read;
    }

    @Keys(
            """
            events[].name | | | Which [event](../guides/event-watcher.md#files-of-pipe) replaces values.
            events[].labels | | | Exactly these.
            """)
    private static EventWatch event(Fields event) {
        var replacements = event.at("replacements");
        var read = replacements.each(EventsReader::wholeReplacement);
        if (read.isEmpty()) replacements.mistake("empty (expected: at least one)");
        return new EventWatch(
                event.at("name").required(),
                event.at("labels").pairs(),
                AdditionsReader.GIT_UPDATE,
                new EventUpdate("", false, read));
    }

    @Keys(
            """
            events[].replacements[].file | | | Relative to the repository's root.
            events[].replacements[].yamlField, jsonField, HCLField, regex | | | Where the value stands there, one of them. `HCLField` is refused when the event comes.
            """)
    private static Replacement wholeReplacement(Fields fields) {
        var read = AdditionsReader.replacement(fields);
        fields.at("file").requireText("a path");
        if ((read.yamlField() + read.jsonField() + read.hclField() + read.regex()).isEmpty())
            fields.mistake("nothing to look for (expected: yamlField, jsonField or regex)");
        return read;
    }
}
