// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.host.role.Served;
import dev.pipecd.plugin.stage.StageCommand;
import dev.pipecd.plugin.stage.StageFacts;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import java.util.Optional;

/// From the protocol's words to the author's.
final class Facts {
    private Facts() {}

    static StageFacts of(ExecutePluginInput input) {
        return new StageFacts(
                input.getStage().getId(),
                input.getStage().getName(),
                input.getStage().getIndex(),
                Served.facts(input.getDeployment()));
    }

    static Optional<StageCommand> of(Command command) {
        return switch (command.getType()) {
            case APPROVE_STAGE -> order(command, StageCommand.Order.APPROVE);
            case SKIP_STAGE -> order(command, StageCommand.Order.SKIP);
            default -> Optional.empty();
        };
    }

    private static Optional<StageCommand> order(Command command, StageCommand.Order order) {
        return Optional.of(new StageCommand(command.getId(), order, command.getCommander()));
    }
}
