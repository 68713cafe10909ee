// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.controlplane.change.Streams.Holder;
import dev.pipecd.controlplane.change.Streams.Kind;
import dev.pipecd.domain.ProjectId;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who may hold how many streams.
final class StreamsTest {
    private final Streams streams = new Streams();
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void close() {
        streams.close();
    }

    private boolean opens(Kind kind, String project, String who) {
        return streams.start(new Holder(kind, new ProjectId(project), who), this::stays);
    }

    private void stays() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int opened(int tries, Kind kind, String project, String who) {
        var opened = 0;
        for (var n = 0; n < tries; n++) if (opens(kind, project, who.formatted(n))) opened++;
        return opened;
    }

    @Test
    void oneSessionTakesNothingFromAnybody() {
        assertThat(opened(11_000, Kind.CHANGES, "large", "session")).isEqualTo(20);
        assertThat(opened(11_000, Kind.EXPORT, "large", "session")).isEqualTo(20);

        assertThat(opens(Kind.CHANGES, "large", "another")).isTrue();
        assertThat(opens(Kind.LINK, "small", "piped-1")).isTrue();
    }

    @Test
    void manySessionsOfAProjectLeaveSomeToOthers() {
        assertThat(opened(3_000, Kind.CHANGES, "large", "session %d")).isEqualTo(1_800);

        assertThat(opened(3_000, Kind.CHANGES, "small", "session %d")).isEqualTo(200);
        assertThat(opened(1, Kind.LINK, "small", "piped-1")).isEqualTo(1);
        assertThat(streams.count(Kind.CHANGES)).isEqualTo(2_000);
    }

    @Test
    void anAgentOfAnotherProjectGetsItsLinkHoweverManyAProjectHolds() {
        assertThat(opened(200, Kind.LINK, "large", "piped-1")).isEqualTo(100);
        assertThat(opened(12_000, Kind.LINK, "large", "agent %d")).isEqualTo(8_900);

        assertThat(opens(Kind.LINK, "small", "piped-1")).isTrue();
    }

    @Test
    void whatEndedMakesRoom() {
        assertThat(opened(21, Kind.CHANGES, "here", "session")).isEqualTo(20);

        end.countDown();
        await().atMost(Duration.ofMinutes(1)).until(() -> streams.count(Kind.CHANGES) == 0);

        assertThat(opens(Kind.CHANGES, "here", "session")).isTrue();
    }
}
