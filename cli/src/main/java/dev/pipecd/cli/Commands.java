// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.task.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/// Puts the commands together.
final class Commands {
    private Commands() {}

    static CommandLine of(Terminal terminal) {
        var root = new CommandLine(new RootCommand());
        root.addSubcommand(applications(terminal));
        root.addSubcommand(deployments(terminal));
        root.addSubcommand(new VersionCommand(terminal));
        root.addSubcommand(new CompletionCommand(root, terminal));
        return root.setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
                .setUsageHelpWidth(100)
                // A value that begins with @ is a value, not a file of arguments.
                .setExpandAtFiles(false)
                .setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Mistakes::inUsage)
                .setExecutionExceptionHandler(Mistakes::inRun);
    }

    private static CommandLine applications(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = new CommandLine(new ApplicationCommand(connection));
        group.addSubcommand(new ApplicationListCommand(connection, terminal));
        group.addSubcommand(new ApplicationGetCommand(connection, terminal));
        group.addSubcommand(new ApplicationSyncCommand(connection, terminal));
        return group;
    }

    private static CommandLine deployments(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = new CommandLine(new DeploymentCommand(connection));
        group.addSubcommand(new DeploymentListCommand(connection, terminal));
        group.addSubcommand(new DeploymentWaitStatusCommand(connection, terminal));
        group.addSubcommand(new DeploymentLogsCommand(connection, terminal));
        return group;
    }
}
