// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Who has to go when requests hold too much together.
final class BodiesTest {
    private static final int MIB = 1 << 20;

    private final Bodies bodies = new Bodies(10 * MIB);
    private final List<String> givenUp = new ArrayList<>();

    private Bodies.Body begun(String name) {
        return bodies.begun(() -> givenUp.add(name));
    }

    @Test
    void whoBeganFirstAndIsNotThroughGoesFirst() {
        var slow = begun("slow");
        slow.brought(6 * MIB);
        var quick = begun("quick");

        assertThat(quick.brought(6 * MIB)).isTrue();

        assertThat(givenUp).containsExactly("slow");
        assertThat(slow.brought(1)).isFalse();
        assertThat(bodies.held()).isBetween(6L * MIB, 7L * MIB);
    }

    @Test
    void whatIsWholeStaysUntilItIsAnsweredAndOthersHaveToGo() {
        var whole = begun("whole");
        whole.brought(9 * MIB);
        whole.whole();
        var second = begun("second");

        assertThat(second.brought(2 * MIB)).isFalse();
        whole.gone();
        var third = begun("third");

        assertThat(third.brought(9 * MIB)).isTrue();
        assertThat(givenUp).containsExactly("second");
    }

    @Test
    void requestsThatBringNothingCountToo() {
        for (var n = 0; n < 2_000; n++) begun("" + n);

        assertThat(givenUp).hasSize(2_000 - 10 * MIB / Bodies.HEAD);
    }

    @Test
    void manySmallPiecesCountAsWhatTheyTake() {
        var body = begun("crumbs");
        var pieces = 0;
        while (body.brought(1)) pieces++;

        assertThat(pieces).isLessThan(10 * MIB / Bodies.PIECE);
    }

    @Test
    void nothingIsHeldOfWhatIsOver() {
        var answered = begun("answered");
        answered.brought(MIB);
        answered.whole();
        answered.gone();
        answered.gone();
        var left = begun("left");
        left.brought(MIB);
        left.gone();
        left.whole();

        assertThat(bodies.held()).isZero();
        assertThat(givenUp).isEmpty();
    }

    @Test
    void whatItsReaderTookIsHeldNoMore() {
        var passing = begun("passing");
        for (var n = 0; n < 30; n++) {
            assertThat(passing.brought(MIB)).isTrue();
            passing.taken(MIB);
        }

        assertThat(bodies.held()).isEqualTo(Bodies.HEAD);
        assertThat(givenUp).isEmpty();
        passing.brought(MIB);
        passing.gone();
        passing.taken(MIB);
        assertThat(bodies.held()).isZero();
    }
}
