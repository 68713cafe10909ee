// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.server.Ports;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// How `pipecd server` was told to run.
///
/// @param metrics whether the admin port tells metrics
/// @param reflection whether gRPC services describe themselves to tools
/// @param releases where versions of agents are published, or empty to ask nobody
record ServerOptions(
        Numbers ports,
        Ports.Settings listening,
        Places places,
        Trust trust,
        boolean metrics,
        boolean reflection,
        Optional<URI> releases) {

    /// Port numbers; below zero closed, zero any free one.
    record Numbers(
            int piped, int web, int http, int api, int admin, int authorization, Gateway gateway) {}

    /// The port that has everything.
    ///
    /// @param asked whether somebody counts on it, who is not served by the other ports
    record Gateway(int number, boolean asked) {
        static Gateway at(int number) {
            return new Gateway(number, true);
        }
    }

    /// @param webApplication its folder, or empty
    /// @param cache where the shared cache is, or empty
    record Places(
            GivenFile config,
            GivenFile encryptionKey,
            Path data,
            Optional<Path> webApplication,
            String cache) {}

    /// @param insecureCookie for sites without TLS
    /// @param forwardedFor whether a proxy of ours tells the client's address
    record Trust(boolean insecureCookie, boolean forwardedFor) {}

    Duration grace() {
        return listening.grace();
    }
}
