// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a header says of where a caller is; the address of the connection itself is empty here.
final class AddressesTest {
    private static final Metadata.Key<String> FORWARDED_FOR =
            Metadata.Key.of("x-forwarded-for", Metadata.ASCII_STRING_MARSHALLER);

    /// Of several, the last was written by the proxy next to us: the others anybody can make up.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    false | 10.0.0.1           | ''
                    true  | 10.0.0.1           | 10.0.0.1
                    true  | 10.0.0.9, 10.0.0.1 | 10.0.0.1
                    true  | ' '                | ''
                    """)
    void itIsBelievedOnlyWhenTheOperatorSaysSo(boolean trusted, String header, String address) {
        var headers = new Metadata();
        headers.put(FORWARDED_FOR, header);

        assertThat(new Addresses(trusted).of(headers)).isEqualTo(address);
    }
}
