// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.util.Arrays;
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
        subcommands = {ServerCommand.class, Pipecd.VersionCommand.class})
public final class Pipecd implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    public static void main(String... args) {
        System.exit(run(args));
    }

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    public static int run(String... args) {
        var line = new CommandLine(new Pipecd());
        return line.execute(withPlainSwitches(line, args));
    }

    /// `--metrics` means `--metrics=true`, and a word after it is never its value: as Go's flags
    /// are read.
    static String[] withPlainSwitches(CommandLine line, String... args) {
        return Arrays.stream(args)
                .map(arg -> isSwitch(line, arg) ? arg + "=true" : arg)
                .toArray(String[]::new);
    }

    private static boolean isSwitch(CommandLine line, String arg) {
        return line.getSubcommands().values().stream()
                .flatMap(c -> c.getCommandSpec().options().stream())
                .anyMatch(o -> o.longestName().equals(arg) && o.type() == boolean.class);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command: server or version.");
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
