// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoginPagesTest {
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
        assertThat(LoginPages.network(one).equals(LoginPages.network(other))).isEqualTo(same);
    }

    /// Of the header anybody can write, only what an own proxy may have added counts.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    127.0.0.1    | 203.0.113.9                 | 203.0.113.9
                    10.0.0.3     | 198.51.100.1, 203.0.113.9   | 203.0.113.9
                    10.0.0.3     | 198.51.100.1;203.0.113.9    | 203.0.113.9
                    fd00::3      | 2001:db8:1:2::9             | 20010db800010002
                    203.0.113.7  | 198.51.100.1                | ''
                    203.0.113.9  | 203.0.113.9                 | ''
                    10.0.0.3     | 10.0.0.3                    | ''
                    10.0.0.3     | somebody                    | ''
                    10.0.0.3     | ''                          | ''
                    """)
    void whomAnOwnProxyNamesIsToldApart(String address, String header, String client) {
        assertThat(LoginPages.client(address, List.of(header.split(";")))).isEqualTo(client);
    }
}
