// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import dev.pipecd.controlplane.project.SsoAddresses;

/// How another system is asked.
///
/// @param way whose settings name it; what one of them names never holds up the others
/// @param proxy it is reached through, or empty
/// @param addresses what may be connected to
public record Route(String way, String proxy, SsoAddresses addresses) {
    @Override
    public String toString() {
        return "Route[" + way + "]"; // the proxy may hold a password
    }
}
