// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.GoDuration;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What readers were heard to ask for, in their order: each key with what it is taken for, what it
/// is when nobody writes it, and whether it must be written.
final class AskedKeys {
    static final String OUTDATED = "outdated";

    private final Map<Name, Asked> keys = new LinkedHashMap<>();

    /// A key as the page calls it; of keys that are read of some types only, the type.
    record Name(String path, String variant) {
        String top() {
            return path.replaceFirst("[.\\[].*", "");
        }
    }

    /// @param types as the page tells them; only the first says what the key is, for what follows
    ///   is how the first was read
    record Asked(Set<String> types, Set<String> defaults, Set<String> required) {
        Asked() {
            this(new LinkedHashSet<>(), new TreeSet<>(), new TreeSet<>());
        }

        String type() {
            return types.isEmpty() ? "" : types.iterator().next();
        }
    }

    void heard(String path, String variant, String type, List<Object> details) {
        var name =
                new Name(path.replaceFirst("^spec\\.", "").replaceAll("\\[\\d+]", "[]"), variant);
        var asked = keys.computeIfAbsent(name, _ -> new Asked());
        if (type.equals("required")) asked.required().add(type);
        else asked.types().add(told(type, details));
        if (!details.isEmpty()) asked.defaults().add(told(details.getFirst()));
        asked.defaults().removeAll(Set.of("", "0", "0s")); // nothing, and told in words
    }

    private static String told(String type, List<Object> details) {
        return switch (type) {
            case "choice" ->
                    ((Collection<?>) details.get(1))
                            .stream()
                                    .map(name -> "`" + name + "`")
                                    .collect(Collectors.joining(", "));
            case "number" ->
                    details.get(2).equals(Integer.MAX_VALUE)
                            ? type
                            : "%s to %s".formatted(details.get(1), details.get(2));
            case "duration" ->
                    details.size() == 1
                            ? type
                            : "duration, at least `%s`".formatted(told(details.get(1)));
            default -> type;
        };
    }

    private static String told(Object value) {
        return value instanceof Duration length
                ? GoDuration.format(length)
                        .replaceFirst("(?<=m)0s$", "")
                        .replaceFirst("(?<=h)0m$", "")
                : value.toString();
    }

    Set<Name> names() {
        return keys.keySet();
    }

    Asked at(Name name) {
        return Objects.requireNonNull(keys.get(name));
    }

    /// Its keys are told of instead.
    boolean holdsOthers(Name name) {
        return keys.keySet().stream()
                .anyMatch(other ->
                        other.path().startsWith(name.path() + ".")
                                || other.path().startsWith(name.path() + "[]."));
    }

    /// Every part of every path.
    Set<String> words() {
        return keys.keySet().stream()
                .flatMap(name -> Arrays.stream(name.path().replace("[]", "").split("\\.")))
                .collect(Collectors.toSet());
    }
}
