// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RedactedTest {
    @ParameterizedTest
    @CsvSource({
        "http://proxy:3128, http://proxy:3128",
        "http://user@proxy:3128, http://redacted@proxy:3128",
        "http://u:p@ss/w#rd@proxy:3128/, http://redacted@proxy:3128/",
        "u:p@proxy:3128, redacted@proxy:3128",
        "HTTP://u:://@proxy, HTTP://redacted@proxy",
        "'', ''"
    })
    void aUrlIsToldWithoutItsLogin(String url, String told) {
        assertThat(Redacted.url(url)).isEqualTo(told);
        assertThat(Redacted.url(told)).isEqualTo(told);
    }
}
