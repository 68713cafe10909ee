// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import java.util.Set;

/// Who somebody is, as the other system says.
///
/// @param groups GitHub teams as `org/team`, or what the issuer's claims name
record Identity(String username, String avatarUrl, Set<String> groups) {
    Identity {
        groups = Set.copyOf(groups);
    }
}
