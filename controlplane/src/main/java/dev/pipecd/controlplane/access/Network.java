// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

/// What of an address guesses are counted by: whoever has one IPv6 address has the 2^64 beside it.
public final class Network {
    private Network() {}

    public static String of(String address) {
        try {
            return InetAddress.ofLiteral(address) instanceof Inet6Address six
                    ? HexFormat.of().formatHex(Arrays.copyOf(six.getAddress(), 8))
                    : address;
        } catch (IllegalArgumentException e) {
            return address; // a proxy may tell names
        }
    }
}
