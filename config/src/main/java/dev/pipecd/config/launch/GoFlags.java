// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import dev.pipecd.config.GoDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads command lines the way Go's flags are written: `--flag=value`, `--flag value`, and switches
/// without a value.
public final class GoFlags {
    private GoFlags() {}

    /// Runs a command to its end and gives its exit code; 2 when the command line is wrong.
    public static int run(CommandLine line, String... args) {
        return line.execute(plain(line, args));
    }

    /// Flags may stand before the command, as with the public programs. A word right behind a flag
    /// without `=` is its value if another command follows.
    public static String[] commandFirst(Collection<String> commands, String... args) {
        if (args.length == 0 || !args[0].startsWith("-")) return args;
        var ordered = new ArrayList<>(List.of(args));
        var named =
                IntStream.range(0, args.length)
                        .filter(i -> commands.contains(args[i]))
                        .boxed()
                        .toList();
        named.stream()
                .filter(i -> !takesValue(args[i - 1]))
                .findFirst()
                .or(() -> named.stream().findFirst())
                .ifPresent(i -> ordered.addFirst(ordered.remove(i.intValue())));
        return ordered.toArray(String[]::new);
    }

    private static boolean takesValue(String arg) {
        return arg.startsWith("--") && !arg.contains("=");
    }

    /// The arguments with every switch given its value.
    public static String[] plain(CommandLine line, String... args) {
        return Arrays.stream(args)
                .map(arg -> isSwitch(line, arg) ? arg + "=true" : arg)
                .toArray(String[]::new);
    }

    /// `--metrics` means `--metrics=true`, and a word after it is never its value.
    private static boolean isSwitch(CommandLine line, String arg) {
        return Stream.concat(Stream.of(line), line.getSubcommands().values().stream())
                .flatMap(c -> c.getCommandSpec().options().stream())
                .anyMatch(o ->
                        o.longestName().equals(arg) && o.type() == boolean.class && !o.usageHelp());
    }

    /// What Go takes for a truth value.
    public static final class Booleans implements ITypeConverter<Boolean> {
        @Override
        public Boolean convert(String text) {
            if (List.of("1", "t", "T", "true", "TRUE", "True").contains(text)) return true;
            if (List.of("0", "f", "F", "false", "FALSE", "False").contains(text)) return false;
            throw new TypeConversionException("\"%s\" (expected: true or false)".formatted(text));
        }
    }

    /// The levels of the public log, in small or capital letters.
    public static final class Levels implements ITypeConverter<String> {
        private static final List<String> KNOWN =
                List.of("debug", "info", "warn", "error", "dpanic", "panic", "fatal");

        @Override
        public String convert(String text) {
            var level = text.toLowerCase(Locale.ROOT);
            if (KNOWN.contains(level)) return level;
            throw new TypeConversionException(
                    "\"%s\" (expected: one of %s)".formatted(text, String.join(", ", KNOWN)));
        }
    }

    public static final class Durations implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            return GoDuration.parse(text)
                    .filter(d -> !d.isNegative())
                    .orElseThrow(() ->
                            new TypeConversionException(
                                    "\"%s\" (expected: a duration such as 1m30s)".formatted(text)));
        }
    }
}
