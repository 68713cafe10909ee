// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.plugin.stage;

import dev.pipecd.architecture.faults.wire.web.Message;
import java.util.List;

/// Rule 4b: what plugin authors see holds a generated type, and be it inside a list.
public final class ShowsMessage {
    public List<Message> messages() {
        return List.of();
    }
}
