// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListingTest {
    @TempDir Path folder;
    private Duration now = Duration.ofHours(1);
    private Duration takes = Duration.ofMillis(10);
    private boolean linked;
    private boolean answers = true;
    private int asked;
    private Listing listing;

    @BeforeEach
    void begin() {
        var applications = new Applications(folder.resolve("applications"));
        listing = new Listing(this::answer, applications, () -> now, () -> linked);
    }

    private List<byte[]> answer() {
        if (!answers) throw new IllegalStateException("no answer");
        asked++;
        now = now.plus(takes);
        return List.of();
    }

    @Test
    void listingIsRepeatedAsSeldomAsItIsCostly() {
        assertThat(pause(Duration.ofMillis(10))).isEqualTo(Duration.ofSeconds(2));
        assertThat(pause(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(400));
        assertThat(pause(Duration.ofSeconds(60))).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void whoWouldBeToldOfAChangeAsksLessOftenButStillDoes() {
        linked = true;

        assertThat(pause(Duration.ofMillis(10))).isEqualTo(Duration.ofSeconds(10));
        assertThat(pause(Duration.ofMillis(300))).isEqualTo(Duration.ofMinutes(5));
        assertThat(pause(Duration.ofSeconds(60))).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void whoIsToldNoLongerAsksAsOftenAsWithoutALink() {
        linked = true;
        takes = Duration.ofMillis(300);
        listing.refresh();
        now = now.plusSeconds(60);
        assertThat(asks()).isFalse();

        linked = false;

        assertThat(asks()).isTrue();
    }

    @Test
    void aHintIsFollowedAtOnceAndStandsUntilItIsAnswered() {
        linked = true;
        listing.refresh();
        listing.hint();
        answers = false;
        assertThatThrownBy(listing::refreshIfDue).hasMessage("no answer");

        answers = true;

        assertThat(asks()).isTrue();
        assertThat(asks()).isFalse();
    }

    /// How long nothing is asked after an answer that took so long.
    private Duration pause(Duration took) {
        takes = took;
        listing.refresh();
        var answered = now;
        while (!asks()) now = now.plusSeconds(1);
        return now.minus(took).minus(answered);
    }

    private boolean asks() {
        var before = asked;
        listing.refreshIfDue();
        return asked > before;
    }
}
