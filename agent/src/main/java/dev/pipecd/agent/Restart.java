// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out an order to restart.
///
/// @param stop ends the process, for whoever watches it to start it again
record Restart(Outbox outbox, InstantSource clock, Instant startedAt, Runnable stop) {
    private static final Logger log = LoggerFactory.getLogger(Restart.class);

    /// An order given before this agent started is done: it did start. So an order whose answer is
    /// lost cannot restart it for ever.
    void order(Command command) {
        outbox.send(
                Reports.answered(
                        new CommandId(command.getId()),
                        CommandStatus.COMMAND_SUCCEEDED,
                        command.getId().getBytes(StandardCharsets.UTF_8),
                        clock.instant()));
        if (command.getCreatedAt() < startedAt.getEpochSecond()) return;
        log.info("stopping: {} ordered a restart", command.getCommander());
        stop.run();
    }
}
