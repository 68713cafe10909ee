// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NetworkTest {
    /// Who has a network of IPv6 has more addresses than there are guesses.
    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2::1, 2001:db8:1:2:ffff::9, true",
        "2001:db8:1:2::1, 2001:db8:1:3::1, false",
        "10.0.0.1, 10.0.0.1, true",
        "10.0.0.1, 10.0.0.2, false",
        "a-proxy, a-proxy, true"
    })
    void guessesAreCountedByNetwork(String one, String other, boolean same) {
        assertThat(Network.of(one).equals(Network.of(other))).isEqualTo(same);
    }
}
