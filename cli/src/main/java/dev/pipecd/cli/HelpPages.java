// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Help at once: the pages lie beside the classes, because to make them anew takes longer than
/// people like to wait. A test keeps them equal to the commands.
final class HelpPages {
    static final String FILE = "help.txt";

    /// Before each page, followed by its command and the end of the line.
    static final String MARK = "\f";

    private HelpPages() {}

    /// The page that these arguments ask for, if they ask for one.
    static Optional<String> askedBy(String... args) {
        if (!asksFirst(args) && asking(args) < 0) return Optional.empty();
        var pages = read();
        var command = "pipectl";
        var words = asksFirst(args) ? without(args) : args;
        // The help of a command that is not there is a mistake, told like any other.
        if (words.length > 0
                && !words[0].startsWith("-")
                && !pages.containsKey(command + " " + words[0])) return Optional.empty();
        for (var word : words) {
            var inner = String.join(" ", command, word);
            if (pages.containsKey(inner)) command = inner;
        }
        return Optional.ofNullable(pages.get(command));
    }

    /// `pipectl help COMMAND`, as the public command line has it.
    private static boolean asksFirst(String... args) {
        return args.length > 0 && args[0].equals("help");
    }

    /// Where help is asked for, or -1. After a flag the word may be its value, as in `--data -h`:
    /// then it is for the commands to tell, which know their flags.
    private static int asking(String... args) {
        for (var i = 0; i < args.length; i++) {
            if (args[i].equals("--help") || args[i].equals("-h")) return i;
            if (args[i].startsWith("-")) return -1;
        }
        return -1;
    }

    /// What is left to run where no page was found: with the flag picocli would show help.
    static String[] without(String... args) {
        if (asksFirst(args)) return Arrays.copyOfRange(args, 1, args.length);
        var asking = asking(args);
        return asking < 0 ? args : Arrays.copyOf(args, asking);
    }

    private static Map<String, String> read() {
        try (var file = Objects.requireNonNull(HelpPages.class.getResourceAsStream(FILE))) {
            var pages = new HashMap<String, String>();
            for (var page :
                    new String(file.readAllBytes(), StandardCharsets.UTF_8).split(MARK, -1)) {
                var end = page.indexOf('\n');
                if (end > 0) pages.put(page.substring(0, end), page.substring(end + 1));
            }
            return pages;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
