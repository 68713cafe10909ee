// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.Notifications;
import dev.pipecd.wire.model.NotificationEventType;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class EventKindTest {
    @Test
    void publicKindsHaveTheirPublicNumbers() {
        var ours =
                Arrays.stream(EventKind.values())
                        .filter(kind -> !Notifications.OWN_EVENTS.contains(kind.name()))
                        .collect(
                                Collectors.toMap(
                                        kind -> "EVENT_" + kind.name(), EventKind::number));
        var theirs =
                Arrays.stream(NotificationEventType.values())
                        .filter(type -> type != NotificationEventType.UNRECOGNIZED)
                        .collect(
                                Collectors.toMap(
                                        NotificationEventType::name,
                                        NotificationEventType::getNumber));

        assertThat(ours).isEqualTo(theirs);
    }

    @Test
    void aRouteCanNameEachKindAndItsGroup() {
        assertThat(Arrays.stream(EventKind.values()).map(EventKind::name))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(
                                        Notifications.EVENTS.stream(),
                                        Notifications.OWN_EVENTS.stream())
                                .toList());
        assertThat(Notifications.GROUPS)
                .containsAll(Arrays.stream(EventKind.values()).map(EventKind::group).toList());
        assertThat(EventKind.PLUGIN_UNHEALTHY.group()).isEqualTo("PIPED");
    }

    @Test
    void thereIsAnEventOfEachKind() {
        assertThat(Samples.EACH).extracting(Event::kind).containsExactly(EventKind.values());
    }
}
