// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.read.Fields.Rules;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/// As little of each document as makes its reader ask for every key there is: lists with one item,
/// and each type there is to choose. Values are left out, so that defaults are heard of.
final class KeySamples {
    private KeySamples() {}

    static AskedKeys controlPlane() {
        return asked(
                ControlPlaneReader::read,
                """
                kind: ControlPlane
                spec:
                  datastore: {type: SQLITE}
                  filestore: {type: LOCAL}
                  cache: {ttl: 1m}
                  projects: [{}]
                  sharedSSOConfigs: [{}]
                """,
                """
                kind: ControlPlane
                spec: {datastore: {type: MYSQL}, filestore: {type: S3}}
                """,
                """
                kind: ControlPlane
                spec: {datastore: {type: MARIADB}, filestore: {type: MINIO}}
                """);
    }

    static AskedKeys piped() {
        return asked(
                (_, spec) -> PipedReader.read(spec),
                """
                kind: Piped
                spec:
                  repositories: [{}]
                  plugins: [{name: NAME, deployTargets: [{}]}]
                  notifications: {routes: [{}], receivers: [{slack: {}}, {webhook: {}}]}
                  secretManagement: {type: KEY_PAIR}
                  eventWatcher: {gitRepos: [{}]}
                  platformProviders:
                    - type: KUBERNETES
                      config: {appStateInformer: {includeResources: [{}], excludeResources: [{}]}}
                    - {type: TERRAFORM}
                    - {type: CLOUDRUN}
                    - {type: LAMBDA}
                    - {type: ECS}
                  chartRepositories: [{type: HTTP}, {type: GIT}]
                  chartRegistries: [{}]
                  analysisProviders: [{type: PROMETHEUS}, {type: DATADOG}, {type: STACKDRIVER}]
                """,
                """
                kind: Piped
                spec: {secretManagement: {type: GCP_KMS}}
                """);
    }

    static AskedKeys application() {
        var keys = new AskedKeys();
        for (var kind : ApplicationConfig.Kind.all())
            listen(
                    keys,
                    (envelope, spec) -> ApplicationReader.read(kind, envelope, spec),
                    """
                    kind: %s
                    spec:
                      pipeline: {stages: [{name: WAIT, with: {duration: 1m}, skipOn: {}}]}
                      postSync: {chain: {applications: [{}]}}
                      encryption: {}
                      attachment: {}
                      notification: {mentions: [{}]}
                      eventWatcher: [{handler: {config: {replacements: [{}]}}}]
                      input: {}
                      quickSync: {}
                      service: {}
                      workloads: []
                      trafficRouting: {}
                      variantLabel: {}
                      resourceRoutes: []
                    """
                            .formatted(kind));
        return keys;
    }

    static AskedKeys events() {
        return asked(
                (_, spec) -> EventsReader.read(spec.at("events")),
                """
                kind: EventWatcher
                spec: {events: [{replacements: [{}]}]}
                """);
    }

    private static AskedKeys asked(BiConsumer<Fields, Fields> reader, String... samples) {
        var keys = new AskedKeys();
        Stream.of(samples).forEach(sample -> listen(keys, reader, sample));
        return keys;
    }

    /// What is missing in a sample is a mistake, which nobody looks at.
    private static void listen(AskedKeys keys, BiConsumer<Fields, Fields> reader, String sample) {
        var written = new Yaml().<Map<String, Object>>load(sample);
        var findings =
                new Findings(
                        "sample",
                        (path, type, details) ->
                                keys.heard(path, variant(written, path), type, List.of(details)));
        Fields.read(
                findings,
                Rules.LENIENT,
                "",
                YamlReader.read(sample.getBytes(StandardCharsets.UTF_8), findings),
                envelope ->
                        envelope.at("spec")
                                .section(spec -> {
                                    reader.accept(envelope, spec);
                                    return spec;
                                }));
    }

    /// The type written nearest around a key; the kind of the document when there is none.
    private static String variant(Map<String, Object> document, String path) {
        var variant = String.valueOf(document.get("kind"));
        Object at = document;
        for (var part : path.replace("]", "").split("[.\\[]")) {
            if (at instanceof Map<?, ?> map) at = map.get(part);
            else if (at instanceof List<?> list) at = list.get(Integer.parseInt(part));
            if (at instanceof Map<?, ?> map && map.get("type") instanceof String type)
                variant = type;
        }
        return variant;
    }
}
