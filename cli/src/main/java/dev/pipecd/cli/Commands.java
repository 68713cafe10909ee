// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import dev.pipecd.cli.application.ApplicationActCommand;
import dev.pipecd.cli.application.ApplicationAddCommand;
import dev.pipecd.cli.application.ApplicationGetCommand;
import dev.pipecd.cli.application.ApplicationListCommand;
import dev.pipecd.cli.application.ApplicationSyncCommand;
import dev.pipecd.cli.deliver.DeliverCommand;
import dev.pipecd.cli.deployment.DeploymentApproveCommand;
import dev.pipecd.cli.deployment.DeploymentCancelCommand;
import dev.pipecd.cli.deployment.DeploymentGetCommand;
import dev.pipecd.cli.deployment.DeploymentListCommand;
import dev.pipecd.cli.deployment.DeploymentLogsCommand;
import dev.pipecd.cli.deployment.DeploymentWaitStatusCommand;
import dev.pipecd.cli.event.EventRegisterCommand;
import dev.pipecd.cli.flag.ConnectionFlags;
import dev.pipecd.cli.lint.ConfigLintCommand;
import dev.pipecd.cli.migrate.MigrateApplicationConfigCommand;
import dev.pipecd.cli.migrate.MigrateDatabaseCommand;
import dev.pipecd.cli.piped.PipedActCommand;
import dev.pipecd.cli.piped.PipedGetCommand;
import dev.pipecd.cli.piped.PipedRegisterCommand;
import dev.pipecd.cli.plugin.PluginPushCommand;
import dev.pipecd.cli.preview.PlanPreviewCommand;
import dev.pipecd.cli.secret.EncryptCommand;
import dev.pipecd.cli.show.Terminal;
import dev.pipecd.cli.transfer.RestoreApplicationCommand;
import dev.pipecd.cli.transfer.RestorePipedCommand;
import dev.pipecd.cli.transfer.TransferBackupCommand;
import dev.pipecd.config.launch.GoFlags;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;

/// Puts the commands together.
final class Commands {
    private Commands() {}

    static CommandLine of(Terminal terminal) {
        var root = new CommandLine(new RootCommand());
        root.addSubcommand(applications(terminal));
        root.addSubcommand(deployments(terminal));
        root.addSubcommand(new DeliverCommand(terminal));
        root.addSubcommand(events(terminal));
        root.addSubcommand(new PlanPreviewCommand(terminal));
        root.addSubcommand(pipeds(terminal));
        root.addSubcommand(new EncryptCommand(terminal));
        root.addSubcommand(config(terminal));
        root.addSubcommand(migrations(terminal));
        root.addSubcommand(plugins(terminal));
        root.addSubcommand(transfers(terminal));
        root.addSubcommand(new VersionCommand(terminal));
        root.addSubcommand(new CompletionCommand(root, terminal));
        return root.registerConverter(boolean.class, new GoFlags.Booleans())
                .setOut(terminal.out())
                .setErr(terminal.err())
                .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
                .setUsageHelpWidth(100)
                // A value that begins with @ is a value, not a file of arguments.
                .setExpandAtFiles(false)
                // What stands behind a flag is its value, whatever it looks like: a commit's title
                // may begin with a hyphen.
                .setAllowOptionsAsOptionParameters(true)
                .setAllowSubcommandsAsOptionParameters(true)
                .setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(Mistakes::inUsage)
                .setExecutionExceptionHandler(Mistakes::inRun);
    }

    private static CommandLine applications(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = group("application", "Shows, syncs and looks after applications.", connection);
        group.addSubcommand(new ApplicationListCommand(connection, terminal));
        group.addSubcommand(new ApplicationGetCommand(connection, terminal));
        group.addSubcommand(new ApplicationSyncCommand(connection, terminal));
        group.addSubcommand(new ApplicationAddCommand(connection, terminal));
        for (var act : ApplicationActCommand.Act.values())
            group.addSubcommand(ApplicationActCommand.of(act, connection, terminal));
        return group;
    }

    private static CommandLine deployments(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group =
                group(
                        "deployment",
                        "Shows, follows and steers deployments, and reads their logs.",
                        connection);
        group.addSubcommand(new DeploymentListCommand(connection, terminal));
        group.addSubcommand(new DeploymentGetCommand(connection, terminal));
        group.addSubcommand(new DeploymentWaitStatusCommand(connection, terminal));
        group.addSubcommand(new DeploymentLogsCommand(connection, terminal));
        group.addSubcommand(new DeploymentApproveCommand(connection, terminal));
        group.addSubcommand(new DeploymentCancelCommand(connection, terminal));
        return group;
    }

    private static CommandLine events(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = group("event", "Registers events for the event watchers.", connection);
        group.addSubcommand(new EventRegisterCommand(connection, terminal));
        return group;
    }

    private static CommandLine pipeds(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = group("piped", "Registers and looks after agents.", connection);
        group.addSubcommand(new PipedRegisterCommand(connection, terminal));
        group.addSubcommand(new PipedGetCommand(connection, terminal));
        for (var act : PipedActCommand.Act.values())
            group.addSubcommand(PipedActCommand.of(act, connection, terminal));
        return group;
    }

    private static CommandLine config(Terminal terminal) {
        var group = group("config", "Checks configuration files.");
        group.addSubcommand(new ConfigLintCommand(terminal));
        return group;
    }

    private static CommandLine migrations(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group = group("migrate", "Prepares applications for agents with plugins.", connection);
        group.addSubcommand(new MigrateApplicationConfigCommand(terminal));
        group.addSubcommand(new MigrateDatabaseCommand(connection, terminal));
        return group;
    }

    private static CommandLine plugins(Terminal terminal) {
        var group = group("plugin", "Publishes plugins.");
        group.addSubcommand(new PluginPushCommand(terminal));
        return group;
    }

    private static CommandLine transfers(Terminal terminal) {
        var connection = new ConnectionFlags();
        var group =
                group(
                        "transfer",
                        "Takes agents and applications from one control plane to another.",
                        connection);
        group.addSubcommand(new TransferBackupCommand(connection, terminal));
        var restore =
                group("transfer restore", "Puts the contents of a backup into a control plane.");
        restore.addSubcommand(new RestorePipedCommand(connection, terminal));
        restore.addSubcommand(new RestoreApplicationCommand(connection, terminal));
        group.addSubcommand(restore);
        return group;
    }

    private static CommandLine group(String path, String description, ConnectionFlags connection) {
        var group = group(path, description);
        group.getCommandSpec()
                .addMixin("connection", CommandSpec.forAnnotatedObject(connection))
                .usageMessage()
                .optionListHeading("%nFlags (before or after COMMAND):%n");
        return group;
    }

    private static CommandLine group(String path, String description) {
        var spec = CommandSpec.create().name(path.substring(path.lastIndexOf(' ') + 1));
        spec.usageMessage()
                .customSynopsis("pipectl " + path + " COMMAND [FLAGS]")
                .description(description)
                .sortOptions(false)
                .commandListHeading("%nCommands:%n")
                .optionListHeading("%nFlags:%n");
        return new CommandLine(spec);
    }
}
