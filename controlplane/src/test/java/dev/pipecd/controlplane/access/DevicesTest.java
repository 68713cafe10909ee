// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DevicesTest {
    private static final String ACCOUNT = "6:victim/admin";

    private final Devices devices = new Devices(new byte[32]);

    @Test
    void aBrowserIsKnownToTheAccountItWasNamedForAndToNoOther() {
        var cookie = devices.named(ACCOUNT);

        assertThat(devices.known(cookie, ACCOUNT)).hasValue(cookie.substring(0, 16));
        assertThat(devices.known(cookie, "6:victim/other")).isEmpty();
        assertThat(devices.known(cookie, "1:p/admin")).isEmpty();
    }

    /// A tenant may name its administrator as it likes, also as the end of what is signed.
    @Test
    void aNameThatHoldsAnotherAccountMakesNoCookieForIt() {
        var own = devices.named("1:p/x " + ACCOUNT);

        var forged = own.replace(".", " 1:p/x.");

        assertThat(devices.known(forged, ACCOUNT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "abcdefghij012345",
                "abcdefghij012345.",
                "abcdefghij012345.00000000000000000000000000000000"
            })
    void whatIsMadeUpIsNotKnown(String cookie) {
        assertThat(devices.known(cookie, ACCOUNT)).isEmpty();
    }
}
