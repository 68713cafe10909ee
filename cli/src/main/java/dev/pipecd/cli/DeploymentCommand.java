// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// The group `pipectl deployment`.
@Command(
        name = "deployment",
        customSynopsis = "pipectl deployment COMMAND [FLAGS]",
        description = "Shows deployments, waits for them, and reads their logs.",
        sortOptions = false,
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nFlags (before or after COMMAND):%n")
final class DeploymentCommand {
    @Mixin final ConnectionFlags connection;

    DeploymentCommand(ConnectionFlags connection) {
        this.connection = connection;
    }
}
