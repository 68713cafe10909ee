// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.ApplicationConfig.EventWatch;
import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.read.Fields.Rules;
import dev.pipecd.domain.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The door: bytes of a file in, a record out. A document with mistakes is a `ConfigException` that
/// tells all of them; one that is too large to be looked at is a `Problem`. The origin is what
/// people call the file.
public final class Documents {
    private static final String API_VERSION = "pipecd.dev/v1beta1";
    private static final String EVENT_WATCHER = "EventWatcher";
    private static final int LARGEST = 4 << 20;
    private static final int LARGEST_APPLICATION = 1 << 20;

    private Documents() {}

    public static Loaded<ControlPlaneConfig> controlPlane(String origin, byte[] content) {
        return controlPlane(origin, content, _ -> {});
    }

    /// `seen` gets what was understood, also where mistakes stand beside it.
    public static Loaded<ControlPlaneConfig> controlPlane(
            String origin, byte[] content, Consumer<ControlPlaneConfig> seen) {
        var form =
                new Form<>(
                        LARGEST,
                        List.of("ControlPlane"),
                        Rules.STRICT,
                        (_, envelope, spec) -> {
                            var read = ControlPlaneReader.read(envelope, spec);
                            seen.accept(read);
                            return read;
                        });
        return load(origin, content, form);
    }

    public static Loaded<PipedConfig> piped(String origin, byte[] content) {
        var form =
                new Form<>(
                        LARGEST,
                        List.of("Piped"),
                        Rules.LENIENT,
                        (_, _, spec) -> PipedReader.read(spec));
        return load(origin, content, form);
    }

    /// The options of stages are left to the stages.
    public static Loaded<ApplicationConfig> application(String origin, byte[] content) {
        return application(origin, content, ApplicationReader::read);
    }

    /// For who has no agent to ask: what is wrong with the options of the stages that come with it
    /// is told too.
    public static Loaded<ApplicationConfig> applicationWithOptions(String origin, byte[] content) {
        return application(origin, content, ApplicationReader::readWithOptions);
    }

    private static Loaded<ApplicationConfig> application(
            String origin, byte[] content, SpecReader<ApplicationConfig> reader) {
        var form =
                new Form<>(
                        LARGEST_APPLICATION, ApplicationConfig.Kind.all(), Rules.LENIENT, reader);
        return load(origin, content, form);
    }

    /// A file of `.pipe`: the events it tells of, or nothing when it is of another kind.
    public static Optional<Loaded<List<EventWatch>>> events(String origin, byte[] content) {
        if (!isOfKind(EVENT_WATCHER, origin, content)) return Optional.empty();
        var form =
                new Form<>(
                        LARGEST_APPLICATION,
                        List.of(EVENT_WATCHER),
                        Rules.LENIENT,
                        (_, _, spec) -> EventsReader.read(spec.at("events")));
        return Optional.of(load(origin, content, form));
    }

    private static boolean isOfKind(String kind, String origin, byte[] content) {
        if (content.length > LARGEST_APPLICATION) return false;
        return YamlReader.read(content, new Findings(origin)).entries().stream()
                .anyMatch(entry ->
                        entry.key().equalsIgnoreCase("kind")
                                && entry.value().json().asText().equals(kind));
    }

    private record Form<T>(int largest, List<String> kinds, Rules rules, SpecReader<T> spec) {}

    private interface SpecReader<T> {
        T read(String kind, Fields envelope, Fields spec);
    }

    private static <T> Loaded<T> load(String origin, byte[] content, Form<T> form) {
        if (content.length > form.largest())
            throw new Problem(
                    Problem.Code.CONFIG_TOO_LARGE,
                    "%s: %d bytes (expected: at most %d)"
                            .formatted(origin, content.length, form.largest()),
                    "Move what is no configuration into files of its own.");
        var findings = new Findings(origin);
        var document = YamlReader.read(content, findings);
        var envelope =
                Fields.read(findings, form.rules(), "", document, fields -> spec(fields, form));
        findings.refuseMistakes();
        return new Loaded<>(
                envelope.value().orElseThrow(),
                findings.warnings(),
                Masked.yaml(envelope.shown().path("spec")));
    }

    private static <T> Optional<T> spec(Fields envelope, Form<T> form) {
        envelope.at("apiVersion").requiredChoice(List.of(API_VERSION));
        var kind = envelope.at("kind").requiredChoice(form.kinds());
        var spec = envelope.at("spec");
        // What the keys of another kind should be is nothing to tell mistakes about.
        return kind.map(known -> spec.section(fields -> form.spec().read(known, envelope, fields)));
    }
}
