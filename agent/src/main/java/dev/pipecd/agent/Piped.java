// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.config.launch.CommonFlags;
import dev.pipecd.config.launch.GoFlags;
import dev.pipecd.config.launch.Version;
import dev.pipecd.config.launch.WrongCall;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/// The command `piped`.
@Command(
        name = "piped",
        description = "The agent of PipeCD: it runs beside the targets and deploys to them.")
public final class Piped implements Runnable {
    private static final String OLD_NAME_OF_RUN = "piped";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Shows this text.")
    private boolean help;

    private Piped() {}

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    ///
    /// @param pluginHost the command that starts the host of the built-in plugins
    /// @param further commands by name that the distribution has beside the agent's own
    public static int run(
            List<String> pluginHost,
            Map<String, Supplier<Object>> further,
            PrintWriter out,
            PrintWriter err,
            String... given) {
        var commands = commands(pluginHost, further);
        var names = new ArrayList<>(commands.keySet());
        names.add(OLD_NAME_OF_RUN);
        var args = GoFlags.commandFirst(names, given);
        var line = commandLine(commands, args).setOut(out).setErr(err);
        line.setParameterExceptionHandler((wrong, had) -> WrongCall.explain("", wrong, had));
        return GoFlags.run(line, args);
    }

    /// With all its commands, for a page of them.
    public static CommandLine commandLine(
            List<String> pluginHost, Map<String, Supplier<Object>> further) {
        return commandLine(commands(pluginHost, further));
    }

    private static Map<String, Supplier<Object>> commands(
            List<String> pluginHost, Map<String, Supplier<Object>> further) {
        var commands = new LinkedHashMap<String, Supplier<Object>>();
        commands.put("run", () -> new RunCommand(pluginHost));
        commands.putAll(further);
        commands.put("version", VersionCommand::new);
        return commands;
    }

    /// With the one command asked for, because to read the flags of all delays the start; with all
    /// where none is.
    private static CommandLine commandLine(Map<String, Supplier<Object>> commands, String... args) {
        var first = args.length == 0 ? "" : args[0];
        var asked = first.equals(OLD_NAME_OF_RUN) ? "run" : first;
        var line = new CommandLine(new Piped());
        commands.forEach((name, command) -> {
            if (!commands.containsKey(asked) || name.equals(asked))
                line.addSubcommand(name, command.get());
        });
        // As with Go's flags: the last of several counts, and @ begins no file of arguments.
        return line.setOverwrittenOptionsAllowed(true).setExpandAtFiles(false);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Name a command.");
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
