// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
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
    private static final Set<String> TYPES =
            Set.of("counter", "gauge", "histogram", "summary", "untyped");
    private static final String UNTYPED = "untyped";

    private final Map<String, Family> families = new LinkedHashMap<>();
    private final Map<String, Family> ownerOfName = new HashMap<>();

    /// What this process says of itself: nobody else changes what its families are.
    ///
    /// @param labels what each series is to carry, whatever the text says
    public void add(String text, Map<String, String> labels) {
        text.lines().forEach(new Source(labels, new Room(Long.MAX_VALUE), true)::line);
    }

    /// What another says, as far as there is room.
    public void add(String text, Map<String, String> labels, Room room) {
        text.lines().forEach(new Source(labels, room, false)::line);
    }

    public void add(String family, String help, Map<String, String> labels, double value) {
        var source = new Source(labels, new Room(Long.MAX_VALUE), true);
        source.line("# HELP " + family + " " + help);
        source.line("# TYPE " + family + " gauge");
        source.line(family + " " + value);
    }

    public byte[] text() {
        var text = new StringBuilder();
        var loose = new LinkedHashMap<String, Map<String, String>>();
        families.forEach((name, family) -> {
            if (family.disputed) {
                family.samples.forEach((of, series) ->
                        loose.computeIfAbsent(of, _ -> new LinkedHashMap<>()).putAll(series));
                return;
            }
            if (!family.declared.help().isEmpty())
                text.append("# HELP %s %s\n".formatted(name, family.declared.help()));
            text.append("# TYPE %s %s\n".formatted(name, family.declared.type()));
            family.samples.values().forEach(series -> write(text, series));
        });
        loose.forEach((name, series) -> {
            text.append("# TYPE %s %s\n".formatted(name, UNTYPED));
            write(text, series);
        });
        return text.toString().getBytes(UTF_8);
    }

    private static void write(StringBuilder text, Map<String, String> series) {
        series.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
    }

    /// Where others disagree about what a name means, it has no type, and all they say of it stays;
    /// what disagrees with this process itself has no place.
    private void sample(Declared declared, MetricLine.Sample sample, Source source) {
        var disputes = disputes(declared);
        if (disputes.stream().anyMatch(f -> f.own)) return;
        var all = new TreeMap<>(sample.labels());
        all.putAll(source.labels);
        var series = MetricLine.series(sample.name(), all);
        if (!source.room.takes(series.length() + sample.value().length() + 2L)) return;
        var family =
                families.computeIfAbsent(declared.name(), _ -> new Family(declared, source.own));
        for (var name : declared.names()) ownerOfName.putIfAbsent(name, family);
        if (!disputes.isEmpty()) family.disputed = true;
        for (var other : disputes) other.disputed = true;
        family.samples
                .computeIfAbsent(sample.name(), _ -> new LinkedHashMap<>())
                .putIfAbsent(series, sample.value());
    }

    private List<Family> disputes(Declared declared) {
        var found = new ArrayList<Family>();
        for (var name : declared.names()) {
            var owner = ownerOfName.get(name);
            if (owner != null && !owner.isOf(declared)) found.add(owner);
        }
        return found;
    }

    /// How much several texts may add together, and how many lines found no place any more.
    public static final class Room {
        private long bytes;
        private long cut;

        public Room(long bytes) {
            this.bytes = bytes;
        }

        /// One that does not fit leaves its place to shorter ones.
        private boolean takes(long more) {
            if (more > bytes) {
                cut++;
                return false;
            }
            bytes -= more;
            return true;
        }

        public long left() {
            return bytes;
        }

        public long cut() {
            return cut;
        }
    }

    private static final class Family {
        final Declared declared;
        final boolean own;
        final Map<String, Map<String, String>> samples = new LinkedHashMap<>();
        boolean disputed;

        Family(Declared declared, boolean own) {
            this.declared = declared;
            this.own = own;
        }

        boolean isOf(Declared other) {
            return declared.name().equals(other.name()) && declared.type().equals(other.type());
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
        private final Room room;
        private final boolean own;
        private final Map<String, String> helps = new HashMap<>();
        private final Map<String, Declared> byName = new HashMap<>();
        private final Set<String> undeclared = new HashSet<>();
        private int count;

        Source(Map<String, String> labels, Room room, boolean own) {
            this.labels = Map.copyOf(labels);
            this.room = room;
            this.own = own;
        }

        void line(String line) {
            if (line.isEmpty()) return;
            if (count >= MOST_OF_ONE) {
                room.cut++;
                return;
            }
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
            if (declared.takes(sample)) Exposition.this.sample(declared, sample, this);
        }
    }
}
