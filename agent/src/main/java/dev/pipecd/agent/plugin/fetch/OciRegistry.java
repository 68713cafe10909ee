// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Pulls a plugin from an OCI registry: the part of its artifact that is made for this machine.
final class OciRegistry {
    private static final Logger log = LoggerFactory.getLogger(OciRegistry.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGEST_MANIFEST = 4 << 20;
    private static final String LAYER = "application/vnd.pipecd.piped.plugin";
    private static final String MANIFESTS =
            "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json,"
                    + " application/vnd.docker.distribution.manifest.list.v2+json,"
                    + " application/vnd.docker.distribution.manifest.v2+json";
    private static final Pattern CHALLENGE = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private final Web web;
    private final OciReference reference;
    private final Map<String, String> basic;
    private final Map<String, String> headers = new HashMap<>();

    OciRegistry(Web web, OciReference reference, Map<String, String> basic) {
        this.web = web;
        this.reference = reference;
        this.basic = Map.copyOf(basic);
    }

    /// What the artifact is now: a tag may have moved.
    Artifact artifact() throws IOException, InterruptedException {
        var top = manifest(reference.manifest(), reference.digest());
        if (!top.json.has("manifests")) return new Artifact(top.digest, layers(top.json));
        var chosen = digest(forThisMachine(top.json));
        return new Artifact(
                top.digest, layers(manifest(reference.manifest(chosen), Optional.of(chosen)).json));
    }

    /// @param digest of the whole artifact, by which it is known for good
    record Artifact(Checksum digest, List<Layer> layers) {}

    record Layer(Checksum digest, long size) {}

    private record Manifest(Checksum digest, JsonNode json) {}

    private Manifest manifest(URI address, Optional<Checksum> wanted)
            throws IOException, InterruptedException {
        byte[] bytes;
        try (var body = open(address, MANIFESTS)) {
            bytes = body.readNBytes(LARGEST_MANIFEST + 1);
        }
        if (bytes.length > LARGEST_MANIFEST)
            throw Web.refused(address, "more than 4 MiB", "a manifest");
        var digest = Checksum.of(bytes);
        if (wanted.isPresent() && !wanted.get().equals(digest))
            throw Web.refused(address, "is " + digest, "what its digest says");
        try {
            return new Manifest(digest, JSON.readTree(bytes));
        } catch (JsonProcessingException e) {
            throw Web.refused(address, "not JSON", "a manifest");
        }
    }

    private JsonNode forThisMachine(JsonNode index) {
        var offered = new ArrayList<String>();
        for (var entry : index.path("manifests")) {
            var platform = entry.path("platform");
            var name = platform.path("os").asText() + "/" + platform.path("architecture").asText();
            if (name.equals(Platform.os() + "/" + Platform.architecture())) return entry;
            offered.add(name);
        }
        throw new Problem(
                Problem.Code.PLUGIN_UNAVAILABLE,
                "%s: made for %s (expected: also for %s/%s)"
                        .formatted(
                                Web.shown(reference.manifest()),
                                offered,
                                Platform.os(),
                                Platform.architecture()),
                "Push the plugin for this machine too.");
    }

    private List<Layer> layers(JsonNode manifest) {
        var layers = new ArrayList<Layer>();
        for (var layer : manifest.path("layers"))
            if (layer.path("mediaType").asText().equals(LAYER))
                layers.add(new Layer(digest(layer), layer.path("size").asLong(-1)));
        if (layers.isEmpty())
            throw Web.refused(reference.manifest(), "no layer of a plugin", "type " + LAYER);
        return layers;
    }

    private Checksum digest(JsonNode entry) {
        try {
            return Checksum.parse(entry.path("digest").asText());
        } catch (IllegalArgumentException e) {
            throw Web.refused(reference.manifest(), "a digest that is none", "sha256 digests");
        }
    }

    /// The program: its layers one after the other, each held to its digest.
    InputStream content(Artifact artifact) throws IOException, InterruptedException {
        var parts = new ArrayList<InputStream>();
        for (var layer : artifact.layers()) {
            var address = reference.blob(layer.digest());
            parts.add(new Verified(open(address, "*/*"), layer.digest(), Web.shown(address)));
        }
        return new SequenceInputStream(Collections.enumeration(parts));
    }

    private InputStream open(URI address, String accept) throws IOException, InterruptedException {
        headers.put("Accept", accept);
        var answer = web.get(address, headers);
        if (answer.statusCode() == 401) {
            answer.body().close();
            var challenge = answer.headers().firstValue("WWW-Authenticate").orElse("");
            headers.putAll(authorization(address, challenge));
            answer = web.get(address, headers);
        }
        return web.body(address, answer);
    }

    private Map<String, String> authorization(URI address, String challenge)
            throws IOException, InterruptedException {
        if (!challenge.regionMatches(true, 0, "Bearer ", 0, 7)) return basic;
        var named = new HashMap<String, String>();
        var match = CHALLENGE.matcher(challenge);
        while (match.find()) named.put(match.group(1), match.group(2));
        var realm = realm(address, named.getOrDefault("realm", ""));
        // The password goes to no place that is less protected than the registry itself.
        if (!"https".equals(realm.getScheme()) && !realm.getScheme().equals(address.getScheme()))
            throw Web.refused(address, "sends for a token to " + realm.getScheme(), "https");
        var question =
                URI.create(
                        "%s%sservice=%s&scope=%s"
                                .formatted(
                                        realm,
                                        realm.getQuery() == null ? "?" : "&",
                                        encoded(named.getOrDefault("service", "")),
                                        encoded(
                                                "repository:%s:pull"
                                                        .formatted(reference.repository()))));
        try (var body = web.body(question, web.get(question, basic))) {
            var answer = JSON.readTree(body.readNBytes(LARGEST_MANIFEST));
            var token = answer.path("token").asText(answer.path("access_token").asText());
            return Map.of("Authorization", "Bearer " + token);
        }
    }

    /// Where the registry sends for a token.
    private static URI realm(URI address, String written) {
        try {
            var realm = new URI(written);
            if (realm.getScheme() != null && realm.getHost() != null && realm.getFragment() == null)
                return realm;
        } catch (URISyntaxException e) {
            log.debug("no address: {}", written, e);
        }
        throw Web.refused(address, "sends for a token nowhere", "a challenge with a realm");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
