// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.config.ControlPlaneConfig.Reach;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Set;

/// Which addresses the server asks for somebody's single sign-on: administrators of a project must
/// not reach through it what only its machine reaches.
public record SsoAddresses(Reach reach) {
    /// What the operator set up is the operator's.
    public static final SsoAddresses ANY = new SsoAddresses(Reach.ANY);

    /// Where clouds tell a machine its secrets, beside the link-local one.
    private static final Set<InetAddress> METADATA =
            Set.of(
                    InetAddress.ofLiteral("fd00:ec2::254"),
                    InetAddress.ofLiteral("100.100.100.200"));

    public boolean areAll() {
        return reach == Reach.ANY;
    }

    public boolean allow(InetAddress address) {
        return switch (reach) {
            case ANY -> true;
            case NETWORK -> !isOfTheMachine(address);
            case PUBLIC -> !isOfTheMachine(address) && !isPrivate(address);
        };
    }

    /// What can be said before a name is looked up.
    ///
    /// @param host a name or an address, as a URL has it
    public boolean allowUnasked(String host) {
        if (host.equalsIgnoreCase("localhost")) return allow(InetAddress.getLoopbackAddress());
        try {
            return allow(InetAddress.ofLiteral(host.replaceAll("[\\[\\]]", "")));
        } catch (IllegalArgumentException _) {
            return true; // a name
        }
    }

    private static boolean isOfTheMachine(InetAddress address) {
        return address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isAnyLocalAddress()
                || address.isMulticastAddress()
                || METADATA.contains(address)
                || isOfAnInterface(address);
    }

    /// Not only by its loopback address does a machine reach what listens on it.
    private static boolean isOfAnInterface(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // who cannot tell does not ask
        }
    }

    /// Site-local, unique local of IPv6, and what carriers share.
    private static boolean isPrivate(InetAddress address) {
        var bytes = address.getAddress();
        return address.isSiteLocalAddress()
                || (address instanceof Inet6Address
                        ? (bytes[0] & 0xfe) == 0xfc
                        : bytes[0] == 100 && (bytes[1] & 0xc0) == 64);
    }
}
