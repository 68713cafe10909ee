// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.config.Notifications;
import dev.pipecd.config.Notifications.Filter;
import dev.pipecd.config.Notifications.Route;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Who hears of what. What is ignored is asked first; an empty list lets everything through.
record Routes(List<Route> routes) {
    Routes(Notifications written) {
        this(written.routes());
    }

    /// Each receiver once, however many routes lead to it.
    Set<String> receivers(Event event) {
        var receivers = new LinkedHashSet<String>();
        for (var route : routes)
            if (!ignores(route.ignored(), event) && takes(route.only(), event))
                receivers.add(route.receiver());
        return receivers;
    }

    private static boolean ignores(Filter ignored, Event event) {
        return ignored.events().contains(event.kind().name())
                || ignored.groups().contains(event.kind().group())
                || event.about()
                        .filter(about ->
                                ignored.apps().contains(about.application())
                                        || ignored.labels().entrySet().stream()
                                                .anyMatch(about.labels().entrySet()::contains))
                        .isPresent();
    }

    /// Events of the agent itself pass whatever is said about applications.
    private static boolean takes(Filter only, Event event) {
        return lets(only.events(), event.kind().name())
                && lets(only.groups(), event.kind().group())
                && event.about()
                        .map(about ->
                                lets(only.apps(), about.application())
                                        && about.labels()
                                                .entrySet()
                                                .containsAll(only.labels().entrySet()))
                        .orElse(true);
    }

    private static boolean lets(List<String> names, String name) {
        return names.isEmpty() || names.contains(name);
    }
}
