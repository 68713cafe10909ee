// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.controlplane.server.Ports;
import java.nio.file.Path;

/// How `pipecd ops` was told to run.
///
/// @param metrics whether the admin port tells metrics
record OpsOptions(
        Numbers ports,
        Ports.Settings listening,
        Places places,
        ServerOptions.Trust trust,
        boolean metrics) {

    /// Port numbers; below zero closed, zero any free one.
    record Numbers(int http, int admin) {}

    /// @param cache where the shared cache is, or empty
    record Places(GivenFile config, Path data, String cache) {}
}
