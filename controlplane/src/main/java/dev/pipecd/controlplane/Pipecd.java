// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `pipecd`.
@Command(
        name = "pipecd",
        description = "The control plane of PipeCD.",
        subcommands = {
            ServerCommand.class,
            OpsCommand.class,
            CheckConfigCommand.class,
            Pipecd.VersionCommand.class
        })
public final class Pipecd implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    public static void main(String... args) {
        System.exit(run(args));
    }

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    public static int run(String... args) {
        return GoFlags.run(new CommandLine(new Pipecd()), args);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Name a command: server, ops, check-config or version.");
    }

    @Command(name = "version", description = "Tells the version.")
    static final class VersionCommand implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
        private CommandSpec spec;

        @Override
        public Integer call() {
            spec.commandLine().getOut().println(Version.text());
            return 0;
        }
    }
}
