// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

/// One trip to the other system and back: what both halves of it must agree on.
///
/// @param state comes back with the person
/// @param nonce comes back inside the signed token
/// @param verifier proves to the other system that who ends the trip has begun it
record Round(String state, String redirectUri, String nonce, String verifier) {
    @Override
    public String toString() {
        return "Round";
    }
}
