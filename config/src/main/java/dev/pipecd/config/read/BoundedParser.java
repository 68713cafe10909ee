// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.parser.Parser;

/// Stops a document that is nested too deeply or has too many parts while it is being parsed,
/// before it costs memory.
final class BoundedParser implements Parser {
    static final int DEEPEST = 100;
    static final int MOST_PARTS = 250_000;

    private final Parser parser;
    private int depth;
    private int parts;

    BoundedParser(Parser parser) {
        this.parser = parser;
    }

    @Override
    public boolean checkEvent(Event.ID choice) {
        return parser.checkEvent(choice);
    }

    @Override
    public Event peekEvent() {
        return parser.peekEvent();
    }

    @Override
    public Event getEvent() {
        var event = parser.getEvent();
        switch (event.getEventId()) {
            case MappingStart, SequenceStart -> depth++;
            case MappingEnd, SequenceEnd -> depth--;
            default -> {}
        }
        if (depth > DEEPEST) throw tooDeep(event.getStartMark());
        if (++parts > MOST_PARTS)
            throw new Exceeded(
                    event.getStartMark(),
                    "parts: more than %d (expected: fewer)".formatted(MOST_PARTS));
        return event;
    }

    static Exceeded tooDeep(Mark mark) {
        return new Exceeded(
                mark, "nesting: more than %d levels (expected: fewer)".formatted(DEEPEST));
    }

    /// A limit was passed, and where.
    static final class Exceeded extends RuntimeException {
        private final transient Mark mark;

        Exceeded(Mark mark, String message) {
            super(message);
            this.mark = mark;
        }

        Mark mark() {
            return mark;
        }
    }
}
