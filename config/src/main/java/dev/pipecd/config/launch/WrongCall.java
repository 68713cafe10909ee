// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// What people read of a wrong command line: the names of the flags, never what was given to them.
/// That may be a key or a password, and the logs of a CI keep it.
public final class WrongCall {
    private final CommandLine command;
    private final List<String> args;

    private WrongCall(CommandLine command, List<String> args) {
        this.command = command;
        this.args = args;
    }

    /// Tells it and gives the exit code. Where the command itself is missing or unknown all there
    /// are follow, otherwise only where to read on: what matters must not scroll away.
    ///
    /// @param begin what stands before the first line
    public static int explain(String begin, ParameterException wrong, String... args) {
        var command = wrong.getCommandLine();
        var call = new WrongCall(command, List.of(args));
        var err = command.getErr();
        err.println(begin + call.told(wrong));
        if (call.lacksCommand(wrong)) command.usage(err);
        else err.println("See `" + command.getCommandSpec().qualifiedName() + " --help`.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private boolean lacksCommand(ParameterException wrong) {
        if (command.getSubcommands().isEmpty()) return false;
        return !(wrong instanceof UnmatchedArgumentException unmatched)
                || !unmatched.getUnmatched().getFirst().startsWith("-");
    }

    private String told(ParameterException wrong) {
        return switch (wrong) {
            case UnmatchedArgumentException unmatched -> unknown(unmatched.getUnmatched());
            // A mistyped flag is the usual cause that another is missing.
            case MissingParameterException missing -> {
                var mistyped = mistyped();
                yield mistyped.isEmpty()
                        ? String.valueOf(missing.getMessage())
                        : flags(mistyped) + "\n" + missing.getMessage();
            }
            default -> String.valueOf(wrong.getMessage());
        };
    }

    private String unknown(List<String> unmatched) {
        var flags = unmatched.stream().filter(arg -> arg.startsWith("-")).toList();
        if (!flags.isEmpty()) return flags(flags);
        var word = unmatched.getFirst();
        if (!command.getSubcommands().isEmpty())
            return "Unknown command: '%s'%s".formatted(word, suggestion(word));
        var before = args.indexOf(word) - 1;
        return "Unexpected word%s (expected: flags, and their values as --flag=value)"
                .formatted(
                        before >= 0 && args.get(before).startsWith("-")
                                ? " behind '%s'".formatted(name(args.get(before)))
                                : "");
    }

    private String flags(List<String> unknown) {
        return (unknown.size() == 1 ? "Unknown option: " : "Unknown options: ")
                + unknown.stream()
                        .map(WrongCall::name)
                        .map(flag -> "'%s'%s".formatted(flag, suggestion(flag)))
                        .collect(joining(", "));
    }

    private String suggestion(String name) {
        return new UnmatchedArgumentException(command, List.of(name))
                .getSuggestions().stream()
                        .findFirst()
                        .map(" (did you mean '%s'?)"::formatted)
                        .orElse("");
    }

    /// A short flag may have its value right behind it.
    private static String name(String arg) {
        var name = arg.replaceFirst("(?s)=.*", "");
        return name.startsWith("--") ? name : name.substring(0, Math.min(2, name.length()));
    }

    private List<String> mistyped() {
        var known = known();
        var mistyped = new ArrayList<String>();
        for (var i = 0; i < args.size() && !args.get(i).equals("--"); i++) {
            var arg = args.get(i);
            if (arg.startsWith("--") && !known.contains(name(arg)) && !isValue(i))
                mistyped.add(arg);
        }
        return mistyped;
    }

    private Set<String> known() {
        var known = new HashSet<String>();
        for (var each = command; each != null; each = each.getParent())
            known.addAll(each.getCommandSpec().optionsMap().keySet());
        return known;
    }

    private boolean isValue(int index) {
        if (index == 0) return false;
        return Optional.ofNullable(command.getCommandSpec().findOption(args.get(index - 1)))
                .map(OptionSpec::arity)
                .filter(arity -> arity.min() > 0)
                .isPresent();
    }
}
