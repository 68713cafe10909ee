// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/// What a header says of where a caller is, beside the address of the connection itself.
@ResourceLock("logging")
final class AddressesTest {
    /// Of several, the last was written by the proxy next to us: the others anybody can make up.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    false | 192.0.2.7 | 10.0.0.1           | 192.0.2.7
                    false | 10.0.0.3  | 10.0.0.1           | 10.0.0.3
                    false | 127.0.0.1 | 10.0.0.1           | 127.0.0.1
                    false | ::1       | 10.0.0.9, 10.0.0.1 | 0:0:0:0:0:0:0:1
                    false | 127.0.0.1 | ' '                | 127.0.0.1
                    true  | 127.0.0.1 | 10.0.0.1           | 10.0.0.1
                    true  | ::1       | 10.0.0.9, 10.0.0.1 | 10.0.0.1
                    true  | 192.0.2.7 | 10.0.0.1           | 10.0.0.1
                    true  | 192.0.2.7 | 10.0.0.9, 10.0.0.1 | 10.0.0.1
                    true  | 192.0.2.7 | ' '                | 192.0.2.7
                    """)
    void itIsBelievedWhenTheOperatorSaysSo(
            boolean trusted, String peer, String header, String address) {
        var told = new Addresses(trusted).told(header, InetAddress.ofLiteral(peer));

        assertThat(told).isEqualTo(address);
    }

    @Test
    void thatAProxyIsNotBelievedIsToldOnce() {
        var logger = (Logger) LoggerFactory.getLogger(Addresses.class);
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        logger.setLevel(Level.WARN); // a command of another test may have set another
        logger.addAppender(logged);
        try {
            var addresses = new Addresses(false);
            var _ = addresses.told("", InetAddress.ofLiteral("10.0.0.3"));
            for (var i = 0; i < 3; i++) {
                var _ = addresses.told("10.0.0.1", InetAddress.ofLiteral("10.0.0.3"));
            }
        } finally {
            logger.detachAppender(logged);
        }

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "X-Forwarded-For from 10.0.0.3 is not believed: everybody behind that"
                                + " address is one to the limits of logging in and to the audit log."
                                + " If it is a proxy of yours that adds the caller's address to the"
                                + " header, start with --trust-forwarded-for=true.");
    }
}
