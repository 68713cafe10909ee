// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.domain.ApplicationId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RotaTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final ApplicationId ONE = new ApplicationId("one");
    private static final ApplicationId TWO = new ApplicationId("two");

    private final Rota rota = new Rota(Duration.ofMinutes(1));

    @Test
    void aSmallFleetIsSeenOneAfterTheOtherAtOnce() {
        rota.keep(List.of(ONE, TWO), NOON);

        assertThat(rota.take(NOON)).containsExactly(ONE);
        assertThat(rota.next()).hasValue(NOON.plusMillis(200));
        assertThat(rota.take(NOON.plusMillis(200))).containsExactly(TWO);
    }

    @Test
    void aLargeFleetIsSpreadOverTheWholeMinute() {
        var fleet = IntStream.range(0, 6_000).mapToObj(i -> new ApplicationId("a" + i)).toList();
        rota.keep(fleet, NOON);

        assertThat(rota.take(NOON.plusSeconds(30))).hasSize(3_001);
        assertThat(rota.take(NOON.plusSeconds(59))).hasSize(2_900);
    }

    @Test
    void oneThatIsBeingLookedAtIsNotHandedOutAgain() {
        rota.keep(List.of(ONE), NOON);
        rota.take(NOON);
        rota.keep(List.of(ONE), NOON.plusSeconds(1));

        assertThat(rota.take(NOON.plusSeconds(100))).isEmpty();
        rota.back(ONE, NOON.plusSeconds(160), NOON.plusSeconds(100));
        assertThat(rota.take(NOON.plusSeconds(159))).isEmpty();
        assertThat(rota.take(NOON.plusSeconds(160))).containsExactly(ONE);
    }

    @Test
    void whoIsWantedComesAtOnce() {
        rota.keep(List.of(ONE, TWO), NOON);

        rota.want(TWO, NOON);

        assertThat(rota.take(NOON)).containsExactlyInAnyOrder(ONE, TWO);
    }

    @Test
    void whoIsWantedLongAfterTheLookBeganComesOnceMore() {
        rota.keep(List.of(ONE), NOON);
        rota.take(NOON);

        rota.want(ONE, NOON.plusSeconds(20));
        rota.want(ONE, NOON.plusSeconds(21));
        rota.back(ONE, NOON.plusSeconds(90), NOON.plusSeconds(30));

        assertThat(rota.next()).hasValue(NOON.plusSeconds(35));
        assertThat(rota.take(NOON.plusSeconds(35))).containsExactly(ONE);
        rota.back(ONE, NOON.plusSeconds(96), NOON.plusSeconds(36));
        assertThat(rota.next()).hasValue(NOON.plusSeconds(96));
    }

    @Test
    void whoIsWantedWhenTheLookHasJustBegunIsNotLookedAtAgain() {
        rota.keep(List.of(ONE), NOON);
        rota.take(NOON);

        rota.want(ONE, NOON.plusSeconds(4));
        rota.back(ONE, NOON.plusSeconds(65), NOON.plusSeconds(5));

        assertThat(rota.next()).hasValue(NOON.plusSeconds(65));
    }

    @Test
    void howeverOftenItIsWantedLooksAreSecondsApart() {
        rota.keep(List.of(ONE), NOON);
        rota.take(NOON);
        rota.back(ONE, NOON.plusSeconds(60), NOON);

        rota.want(ONE, NOON.plusSeconds(1));
        rota.want(ONE, NOON.plusSeconds(2));

        assertThat(rota.take(NOON.plusSeconds(4))).isEmpty();
        assertThat(rota.take(NOON.plusSeconds(5))).containsExactly(ONE);
    }

    @Test
    void aClockThatIsPutBackHidesNobodyWhoIsWanted() {
        rota.keep(List.of(ONE), NOON);
        rota.take(NOON);
        rota.back(ONE, NOON.plusSeconds(60), NOON);

        rota.want(ONE, NOON.minusSeconds(3_600));

        assertThat(rota.take(NOON.minusSeconds(3_600))).containsExactly(ONE);
    }

    @Test
    void whoIsGoneDoesNotComeBack() {
        rota.keep(List.of(ONE, TWO), NOON);
        rota.take(NOON);

        rota.keep(List.of(), NOON);
        rota.back(ONE, NOON.plusSeconds(60), NOON);
        rota.want(ONE, NOON);

        assertThat(rota.next()).isEmpty();
    }
}
