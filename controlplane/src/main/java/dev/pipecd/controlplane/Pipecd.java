// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Logging;
import dev.pipecd.config.launch.Version;
import dev.pipecd.config.launch.WrongCall;
import dev.pipecd.controlplane.server.GrpcDoors;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/// The command `pipecd`.
@Command(name = "pipecd", description = "The control plane of PipeCD.")
public final class Pipecd implements Runnable {
    private static final SequencedMap<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("server", ServerCommand::new);
        COMMANDS.put("ops", OpsCommand::new);
        COMMANDS.put("check-config", CheckConfigCommand::new);
        COMMANDS.put("doctor", DoctorCommand::new);
        COMMANDS.put("version", VersionCommand::new);
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this text.")
    private boolean help;

    public static void main(String... args) {
        System.exit(run(args));
    }

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    public static int run(String... given) {
        Logging.silence();
        var args = commandFirst(given);
        if (args.length > 0 && args[0].equals("server")) GrpcDoors.loadAhead();
        return GoFlags.run(commandLine(args), args);
    }

    public static Set<String> commands() {
        return Collections.unmodifiableSet(COMMANDS.keySet());
    }

    static String[] commandFirst(String... args) {
        return GoFlags.commandFirst(COMMANDS.keySet(), args);
    }

    /// With the one command asked for, because to read the flags of all takes a third of a second
    /// of a server's start; with all where none is.
    static CommandLine commandLine(String... args) {
        var line = new CommandLine(new Pipecd());
        var asked = args.length > 0 && COMMANDS.containsKey(args[0]);
        COMMANDS.forEach((name, command) -> {
            if (!asked || name.equals(args[0])) line.addSubcommand(name, command.get());
        });
        // As with Go's flags: the last of several counts, and @ begins no file of arguments.
        return line.setOverwrittenOptionsAllowed(true)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler((wrong, had) -> WrongCall.explain("", wrong, had));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Name a command: server, ops, check-config, doctor or version.");
    }

    @Command(name = "version", description = "Tells the version.")
    static final class VersionCommand implements Callable<Integer> {
        @Mixin CommonFlags common = new CommonFlags();

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
