// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoginPagesTest {
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
