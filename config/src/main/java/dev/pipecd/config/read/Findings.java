// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ConfigException;
import dev.pipecd.config.Mistake;
import dev.pipecd.config.Warning;
import dev.pipecd.config.read.Tree.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Gathers what is wrong with a document while it is read, so that all of it can be told at once.
final class Findings {
    /// Beyond this nobody reads on, and a hostile file must not fill the log.
    private static final int MOST = 100;

    private final String origin;
    private final Listener listener;
    private final List<Mistake> mistakes = new ArrayList<>();
    private final List<Warning> warnings = new ArrayList<>();

    Findings(String origin) {
        this(origin, (_, _, _) -> {});
    }

    Findings(String origin, Listener listener) {
        this.origin = origin;
        this.listener = listener;
    }

    /// Hears which keys are asked for, as what, and what they are when nobody writes them. The
    /// reference page is written by one who listens.
    interface Listener {
        void asked(String path, String type, Object... details);
    }

    void asked(String path, String type, Object... details) {
        listener.asked(path, type, details);
    }

    void mistake(Place place, String path, String text) {
        if (mistakes.size() <= MOST)
            mistakes.add(new Mistake(origin, place.line(), place.column(), path, text));
    }

    void warning(Place place, String path, String text) {
        if (warnings.size() < MOST)
            warnings.add(new Warning(origin, place.line(), place.column(), path, text));
    }

    void refuseMistakes() {
        if (!mistakes.isEmpty()) throw refusal();
    }

    ConfigException refusal() {
        var told = new ArrayList<>(mistakes);
        told.sort(Comparator.comparingInt(Mistake::line).thenComparingInt(Mistake::column));
        if (told.size() > MOST) {
            var last = told.get(MOST);
            told.set(
                    MOST,
                    new Mistake(
                            origin,
                            last.line(),
                            last.column(),
                            "",
                            "more than %d mistakes (expected: none)".formatted(MOST)));
        }
        return new ConfigException(told, warnings());
    }

    List<Warning> warnings() {
        return warnings.stream()
                .sorted(Comparator.comparingInt(Warning::line).thenComparingInt(Warning::column))
                .toList();
    }
}
