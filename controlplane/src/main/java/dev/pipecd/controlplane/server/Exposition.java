// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Metrics of many processes as one text for Prometheus. What does not fit is left out line by
/// line, so that nothing one process says can spoil what the others say, or pass for theirs.
public final class Exposition {
    private static final int MOST_OF_ONE = 10_000;
    private static final int MOST_BYTES = 32 * 1024 * 1024;
    private static final Set<String> TYPES =
            Set.of("counter", "gauge", "histogram", "summary", "untyped");
    private static final String UNTYPED = "untyped";

    private final Map<String, Family> families = new LinkedHashMap<>();
    private final Map<String, String> ownerOfName = new HashMap<>();
    private long bytes;

    /// @param labels what each series is to carry, whatever the text says
    public void add(String text, Map<String, String> labels) {
        var source = new Source(labels);
        text.lines().takeWhile(_ -> bytes <= MOST_BYTES).forEach(source::line);
    }

    public void add(String family, String help, Map<String, String> labels, double value) {
        var source = new Source(labels);
        source.line("# HELP " + family + " " + help);
        source.line("# TYPE " + family + " gauge");
        source.line(family + " " + value);
    }

    public byte[] text() {
        var text = new StringBuilder();
        families.forEach((name, family) -> {
            if (!family.help.isEmpty())
                text.append("# HELP ").append(name).append(' ').append(family.help).append('\n');
            text.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
            family.samples.forEach(
                    (series, value) -> text.append(series).append(' ').append(value).append('\n'));
        });
        return text.toString().getBytes(UTF_8);
    }

    /// The first to name a family says what it is; samples of another kind of the same name have no
    /// place.
    private void sample(Declared declared, MetricLine.Sample sample, Map<String, String> labels) {
        var family = families.get(declared.name());
        if (family == null) {
            if (!declared.names().stream().allMatch(n -> !ownerOfName.containsKey(n))) return;
            family = new Family(declared.type(), declared.help());
            families.put(declared.name(), family);
            for (var name : declared.names()) ownerOfName.put(name, declared.name());
        }
        if (!family.type.equals(declared.type())) return;
        var all = new TreeMap<>(sample.labels());
        all.putAll(labels);
        var series = MetricLine.series(sample.name(), all);
        bytes += series.length() + sample.value().length() + 2L;
        if (bytes <= MOST_BYTES) family.samples.putIfAbsent(series, sample.value());
    }

    private static final class Family {
        final String type;
        final String help;
        final Map<String, String> samples = new LinkedHashMap<>();

        Family(String type, String help) {
            this.type = type;
            this.help = help;
        }
    }

    /// A family as one text declares it.
    private record Declared(String name, String type, String help) {
        /// The names its samples may have.
        List<String> names() {
            return switch (type) {
                case "histogram" -> List.of(name, name + "_bucket", name + "_sum", name + "_count");
                case "summary" -> List.of(name, name + "_sum", name + "_count");
                default -> List.of(name);
            };
        }

        boolean takes(MetricLine.Sample sample) {
            return !type.equals("histogram")
                    || !sample.name().equals(name)
                            && sample.name().endsWith("_bucket")
                                    == sample.labels().containsKey("le");
        }
    }

    /// One text while it is read.
    private final class Source {
        private final Map<String, String> labels;
        private final Map<String, String> helps = new HashMap<>();
        private final Map<String, Declared> byName = new HashMap<>();
        private final Set<String> undeclared = new HashSet<>();
        private int count;

        Source(Map<String, String> labels) {
            this.labels = Map.copyOf(labels);
        }

        void line(String line) {
            if (count >= MOST_OF_ONE || line.isEmpty()) return;
            count++;
            if (line.startsWith("#")) comment(line);
            else MetricLine.sample(line).ifPresent(this::sample);
        }

        private void comment(String line) {
            var words = line.split(" ", 4);
            if (words.length < 4 || !MetricLine.isName(words[2])) return;
            var name = words[2];
            if (words[1].equals("HELP")) helps.putIfAbsent(name, MetricLine.help(words[3]));
            if (words[1].equals("TYPE") && TYPES.contains(words[3]))
                declare(new Declared(name, words[3], helps.getOrDefault(name, "")));
        }

        private void declare(Declared declared) {
            if (declared.names().stream().anyMatch(undeclared::contains)) return;
            for (var name : declared.names()) byName.putIfAbsent(name, declared);
        }

        private void sample(MetricLine.Sample sample) {
            var declared = byName.get(sample.name());
            if (declared == null) {
                undeclared.add(sample.name());
                declared = new Declared(sample.name(), UNTYPED, "");
            }
            if (declared.takes(sample)) Exposition.this.sample(declared, sample, labels);
        }
    }
}
