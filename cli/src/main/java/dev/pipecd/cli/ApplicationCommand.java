// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// The group `pipectl application`.
@Command(
        name = "application",
        customSynopsis = "pipectl application COMMAND [FLAGS]",
        description = "Shows and syncs applications.",
        sortOptions = false,
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nFlags (before or after COMMAND):%n")
final class ApplicationCommand {
    @Mixin final ConnectionFlags connection;

    ApplicationCommand(ConnectionFlags connection) {
        this.connection = connection;
    }
}
