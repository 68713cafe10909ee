// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import java.io.IOException;

/// Shows what runs on the targets.
public interface LiveStatePlugin {
    LiveState liveState(Question application) throws IOException, InterruptedException;
}
