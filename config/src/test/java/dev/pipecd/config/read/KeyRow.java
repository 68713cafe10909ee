// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.read.AskedKeys.Asked;
import dev.pipecd.config.read.AskedKeys.Name;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A line of [Keys], and what becomes of it on the page.
///
/// @param of the types or kinds it is about; empty for all
record KeyRow(List<String> paths, Set<String> of, String type, String otherwise, String meaning) {
    private static final Pattern OF = Pattern.compile("((`\\w+`, )*`\\w+`): .*");
    private static final Set<String> UNSEEN = Set.of("hidden", "secret", "secret in Base64");

    static KeyRow parse(String line) {
        var cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
        if (cells.size() != 4) throw new AssertionError(line + " (expected: four cells)");
        var names = List.of(cells.getFirst().split(", "));
        var parent = names.getFirst().replaceFirst("[^.]*$", "");
        var paths =
                names.stream()
                        .map(name -> name.equals(names.getFirst()) ? name : parent + name)
                        .toList();
        var about = OF.matcher(cells.get(3));
        var of =
                about.matches()
                        ? Set.of(about.group(1).replace("`", "").split(", "))
                        : Set.<String>of();
        return new KeyRow(paths, of, cells.get(1), cells.get(2), cells.get(3));
    }

    String top() {
        return new Name(paths.getFirst(), "").top();
    }

    boolean isAbout(Name name) {
        return paths.contains(name.path()) && (of.isEmpty() || of.contains(name.variant()));
    }

    /// Why it cannot stand on the page.
    List<String> breaches(AskedKeys keys) {
        var found = new ArrayList<String>();
        if (meaning.isEmpty()) found.add("no meaning");
        for (var path : paths) {
            var asked = asked(keys, path);
            if (asked.isEmpty()) found.add(path + " is read by nobody");
            if (type.isEmpty() && types(asked).size() != 1)
                found.add("%s is read as %s".formatted(path, types(asked)));
            if (types(asked).stream().anyMatch(UNSEEN::contains)
                    && !told(keys).matches(".*(secret|path).*"))
                found.add(path + " is hidden and not called a secret or a path");
            for (var value : defaults(asked))
                if (!otherwise.isEmpty() && !mentions(otherwise, value))
                    found.add("%s is %s when it is not written".formatted(path, value));
            if (otherwise.isEmpty() && defaults(asked).size() > 1)
                found.add("%s has the defaults %s".formatted(path, defaults(asked)));
        }
        if (otherwise.isEmpty() && each(keys, asked -> defaults(asked).isEmpty()).size() > 1)
            found.add("some have a default and some have none");
        if (otherwise.isEmpty() && each(keys, KeyRow::isRequired).size() > 1)
            found.add("some are required and some are not");
        return found.stream()
                .map(why -> "%s: %s".formatted(String.join(", ", paths), why))
                .toList();
    }

    private static boolean mentions(String words, String value) {
        return words.toLowerCase(Locale.ROOT).contains(value.toLowerCase(Locale.ROOT));
    }

    /// The line on the page.
    String shown(AskedKeys keys) {
        var parent = paths.getFirst().replaceFirst("[^.]*$", "");
        var names =
                paths.stream()
                        .map(path ->
                                path.equals(paths.getFirst())
                                        ? path
                                        : path.substring(parent.length()))
                        .map("`%s`"::formatted)
                        .collect(Collectors.joining(", "));
        var must = otherwise.isEmpty() && each(keys, KeyRow::isRequired).contains(true);
        return "| %s | %s%s | %s | %s |\n"
                .formatted(names, told(keys), must ? ", required" : "", shownDefault(keys), meaning)
                .replaceAll("  +", " ");
    }

    private String told(AskedKeys keys) {
        if (!type.isEmpty()) return type;
        var types =
                paths.stream().map(path -> String.join(" or ", types(asked(keys, path)))).toList();
        if (Set.copyOf(types).size() == 1) return types.getFirst();
        return String.join(
                types.stream().anyMatch(each -> each.contains(",")) ? "; " : ", ", types);
    }

    private String shownDefault(AskedKeys keys) {
        if (!otherwise.isEmpty()) return otherwise;
        var values =
                paths.stream()
                        .flatMap(path -> defaults(asked(keys, path)).stream())
                        .map("`%s`"::formatted)
                        .toList();
        return Set.copyOf(values).size() == 1 ? values.getFirst() : String.join(", ", values);
    }

    private <T> Set<T> each(AskedKeys keys, Function<List<Asked>, T> question) {
        return paths.stream()
                .map(path -> question.apply(asked(keys, path)))
                .collect(Collectors.toSet());
    }

    private static boolean isRequired(List<Asked> asked) {
        return asked.stream().anyMatch(each -> !each.required().isEmpty());
    }

    private static Set<String> types(List<Asked> asked) {
        return asked.stream()
                .map(Asked::type)
                .map(type -> type.equals(AskedKeys.OUTDATED) ? "" : type)
                .collect(Collectors.toSet());
    }

    private static Set<String> defaults(List<Asked> asked) {
        var all = new HashSet<String>();
        asked.forEach(each -> all.addAll(each.defaults()));
        return all;
    }

    /// A key that is outdated in some kinds is what it is in the others.
    private List<Asked> asked(AskedKeys keys, String path) {
        var all =
                keys.names().stream()
                        .filter(name -> name.path().equals(path) && isAbout(name))
                        .map(keys::at)
                        .toList();
        var alive = all.stream().filter(each -> !each.type().equals(AskedKeys.OUTDATED)).toList();
        return alive.isEmpty() ? all : alive;
    }
}
