// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.CommandId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out an order to restart. Orders come here once: one that was answered by an earlier life
/// is known by the journal.
///
/// @param stop ends the process, for whoever watches it to start it again
record Restart(Outbox outbox, InstantSource clock, Runnable stop) {
    private static final Logger log = LoggerFactory.getLogger(Restart.class);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// Answered first, and if possible heard: a journal that is lost with the process would take
    /// the order again and again. No clock is asked, neither ours nor the control plane's.
    void order(Command command) {
        var answer =
                Reports.answered(
                        new CommandId(command.getId()),
                        CommandStatus.COMMAND_SUCCEEDED,
                        command.getId().getBytes(StandardCharsets.UTF_8),
                        clock.instant());
        outbox.send(answer);
        Thread.ofVirtual()
                .name("restart")
                .start(() -> {
                    outbox.awaitDelivered(answer.lane(), PATIENCE);
                    log.info("stopping: {} ordered a restart", command.getCommander());
                    stop.run();
                });
    }
}
