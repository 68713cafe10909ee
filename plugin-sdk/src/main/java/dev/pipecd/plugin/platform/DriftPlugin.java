// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import java.io.IOException;

/// Tells what runs from what Git says should run. On the wire the answer travels with the live
/// state, which is asked for first where the plugin shows one.
public interface DriftPlugin {
    Drift drift(Question application, LiveState live) throws IOException, InterruptedException;
}
