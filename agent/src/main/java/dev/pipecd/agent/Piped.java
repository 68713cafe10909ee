// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Version;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The command `piped`.
@Command(
        name = "piped",
        description = "The agent of PipeCD: it runs beside the targets and deploys to them.")
public final class Piped implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    private Piped() {}

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    ///
    /// @param pluginHost the command that starts the host of the built-in plugins
    public static int run(List<String> pluginHost, String... args) {
        var line =
                new CommandLine(new Piped())
                        .addSubcommand(new RunCommand(pluginHost))
                        .addSubcommand(new VersionCommand());
        return GoFlags.run(line, args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command: run or version.");
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
