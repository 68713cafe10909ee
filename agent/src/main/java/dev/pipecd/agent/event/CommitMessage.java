// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.agent.template.Template;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Event;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a commit made for an event says: the words people chose, and trailers by which the
/// deployment that follows can be traced back.
final class CommitMessage {
    private static final Logger log = LoggerFactory.getLogger(CommitMessage.class);
    private static final String TRACE = "Pipecd-Dev-Trace-Trigger-Commit-Hash";

    private CommitMessage() {}

    static String of(Watch watch, Event event) {
        var trailers = new TreeMap<String, String>(event.getContextsMap());
        if (!event.getTriggerCommitHash().isEmpty())
            trailers.put(TRACE, event.getTriggerCommitHash());
        var message = new StringBuilder(words(watch, event).strip());
        if (!trailers.isEmpty()) message.append('\n');
        trailers.forEach((key, value) ->
                // A line break would end the trailer and begin another one.
                message.append('\n')
                        .append(key)
                        .append(": ")
                        .append(value.replaceAll("\\s*\\R\\s*", " ")));
        return message.append('\n').toString();
    }

    private static String words(Watch watch, Event event) {
        var written = watch.update().commitMessage();
        var usual =
                "Replace values with \"%s\" set by Event \"%s\""
                        .formatted(event.getData(), event.getName());
        if (written.isBlank()) return usual;
        try {
            var values =
                    new Template.Values()
                            .with(
                                    "",
                                    Map.of(
                                            "Value", bytes(event.getData()),
                                            "EventName", bytes(event.getName())));
            var filled = Template.parse("commitMessage", bytes(written)).render(values);
            var text = new String(filled, StandardCharsets.UTF_8);
            return text.isBlank() ? usual : text;
        } catch (Problem problem) {
            // What people read in a log is no reason to hold up a release.
            log.warn("{}: {}; it is taken as it is", watch.origin(), problem.message());
            return written;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
