// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.pipecd.cli.show.Terminal;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.List;

/// Puts a plugin together as agents expect it: an index, and for each platform a manifest with one
/// layer, the file. The tag is moved last, so that it never points at something incomplete.
final class Push {
    private static final String INDEX = "application/vnd.oci.image.index.v1+json";
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String EMPTY = "application/vnd.oci.empty.v1+json";
    private static final String PLUGIN = "application/vnd.pipecd.piped.plugin";

    private final Registry registry;
    private final Terminal terminal;
    private final String created;

    Push(Registry registry, Terminal terminal) {
        this.registry = registry;
        this.terminal = terminal;
        this.created = terminal.time().instant().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /// Gives the digest of the whole.
    String of(List<PlatformFile> files, String tag) throws InterruptedException {
        var nothing = Blob.of("{}".getBytes(StandardCharsets.UTF_8));
        registry.putBlob(nothing);
        var manifests = new JsonArray();
        for (var each : files) {
            terminal.progress(
                    "Pushing %s for %s/%s".formatted(each.file(), each.os(), each.architecture()));
            manifests.add(pushed(each, nothing));
        }
        var index = new JsonObject();
        index.addProperty("schemaVersion", 2);
        index.addProperty("mediaType", INDEX);
        index.add("manifests", manifests);
        var blob = Blob.of(bytes(index));
        registry.putManifest(tag, INDEX, blob);
        return blob.digest();
    }

    private JsonObject pushed(PlatformFile part, Blob nothing) throws InterruptedException {
        var file = Blob.of(part.file());
        registry.putBlob(file);
        var config = described(EMPTY, nothing);
        config.addProperty("data", "e30=");
        var layer = described(PLUGIN, file);
        layer.add(
                "annotations",
                note("org.opencontainers.image.title", String.valueOf(part.file().getFileName())));
        var layers = new JsonArray();
        layers.add(layer);
        var manifest = new JsonObject();
        manifest.addProperty("schemaVersion", 2);
        manifest.addProperty("mediaType", MANIFEST);
        manifest.addProperty("artifactType", PLUGIN + "+type");
        manifest.add("config", config);
        manifest.add("layers", layers);
        manifest.add("annotations", note("org.opencontainers.image.created", created));
        var blob = Blob.of(bytes(manifest));
        registry.putManifest(blob.digest(), MANIFEST, blob);
        return inIndex(part, blob);
    }

    private static JsonObject inIndex(PlatformFile part, Blob manifest) {
        var platform = new JsonObject();
        platform.addProperty("architecture", part.architecture());
        platform.addProperty("os", part.os());
        var entry = described(MANIFEST, manifest);
        entry.add("platform", platform);
        entry.addProperty("artifactType", PLUGIN + "+type");
        return entry;
    }

    private static JsonObject described(String type, Blob blob) {
        var json = new JsonObject();
        json.addProperty("mediaType", type);
        json.addProperty("digest", blob.digest());
        json.addProperty("size", blob.size());
        return json;
    }

    private static JsonObject note(String name, String value) {
        var json = new JsonObject();
        json.addProperty(name, value);
        return json;
    }

    private static byte[] bytes(JsonObject json) {
        return new GsonBuilder()
                .disableHtmlEscaping()
                .create()
                .toJson(json)
                .getBytes(StandardCharsets.UTF_8);
    }
}
