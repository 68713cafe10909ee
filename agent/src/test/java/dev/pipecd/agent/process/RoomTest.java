// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoomTest {
    private final List<String> told = new ArrayList<>();
    private int resting;
    private final Room<String> room = new Room<>(16, 4, () -> resting, () -> told.add("room"));

    @Test
    void whoFindsNoRoomComesInWhenAnotherIsGone() {
        fill();

        assertThat(room.enter("first")).isFalse();
        assertThat(room.enter("second")).isFalse();
        assertThat(room.leave()).hasValue("first");
        assertThat(room.leave()).hasValue("second");
        assertThat(room.leave()).isEmpty();
        assertThat(room.enter("third")).isTrue();
    }

    @Test
    void whoIsNotKeptWaitingTakesThePlaceOfOthers() {
        fill();
        room.enter();
        assertThat(room.enter("first")).isFalse();

        assertThat(room.leave()).isEmpty();
        assertThat(room.leave()).hasValue("first");
    }

    @Test
    void thereIsRoomAgainWhenItIsWorthIt() {
        fill();
        assertThat(room.left()).isZero();

        room.leave();
        assertThat(told).isEmpty();
        room.leave();
        assertThat(told).containsExactly("room");
        assertThat(room.left()).isEqualTo(2);

        room.leave();
        assertThat(told).containsExactly("room");
    }

    @Test
    void whoStandsInLineComesBeforeOthers() {
        fill();
        room.enter("first");
        room.enter("second");

        room.leave();

        assertThat(room.left()).isZero();
        assertThat(told).isEmpty();
    }

    @Test
    void whoRestsHoldsNoPlaceThatOthersNeed() {
        fill();
        assertThat(room.enter("first")).isFalse();

        resting = 2;

        assertThat(room.left()).isEqualTo(1);
        assertThat(room.next()).hasValue("first");
        assertThat(room.enter("second")).isTrue();
        assertThat(room.enter("third")).isFalse();
    }

    @Test
    void moreThanTheMemoryTakesDoNotComeInHoweverManyRest() {
        fill();
        resting = 16;

        assertThat(room.left()).isEqualTo(4);
    }

    @Test
    void whoIsToEndOvertakesThoseInLine() {
        fill();
        room.enter("first");
        room.enter("second");

        assertThat(room.overtake("second")).isTrue();
        assertThat(room.overtake("second")).isFalse();
        room.leave();
        assertThat(room.leave()).hasValue("first");
    }

    private void fill() {
        IntStream.range(0, 16).forEach(_ -> room.enter());
    }
}
