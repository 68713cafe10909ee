// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// Keys of agents and programs, passwords and states are made of this.
final class RandomTextTest {
    @Test
    void allItsChanceIsCryptographic() {
        assertThat(Arrays.stream(RandomText.class.getDeclaredFields()))
                .filteredOn(field -> RandomGenerator.class.isAssignableFrom(field.getType()))
                .singleElement()
                .satisfies(field -> assertThat(field.getType()).isEqualTo(SecureRandom.class));
    }

    @Test
    void everyTextIsAnotherOfTheSameLength() {
        var seen = new HashSet<String>();
        for (var i = 0; i < 1_000; i++) {
            var text = RandomText.of(50);
            assertThat(text).matches("[a-z0-9]{50}");
            seen.add(text);
        }

        assertThat(seen).hasSize(1_000);
    }
}
