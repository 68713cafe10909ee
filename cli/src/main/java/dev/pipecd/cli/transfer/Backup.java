// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.pipecd.cli.show.Json;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Piped;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/// What `transfer backup` keeps, in the public form: files of both command lines can be exchanged.
record Backup(String createdAt, List<Piped> pipeds, List<Application> applications) {
    private static final String VERSION = "1";

    Backup {
        pipeds = List.copyOf(pipeds);
        applications = List.copyOf(applications);
    }

    static Backup of(Instant now, List<Piped> pipeds, List<Application> applications) {
        return new Backup(now.truncatedTo(ChronoUnit.SECONDS).toString(), pipeds, applications);
    }

    String text() {
        var json = new JsonObject();
        json.addProperty("version", VERSION);
        json.addProperty("created_at", createdAt);
        json.add("pipeds", list(pipeds));
        json.add("applications", list(applications));
        return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(json)
                + "\n";
    }

    private static JsonArray list(List<? extends Message> messages) {
        var list = new JsonArray();
        messages.forEach(message -> list.add(Json.tree(message)));
        return list;
    }

    static Backup read(Path file) {
        try {
            var json = JsonParser.parseString(PrivateFile.read("--input-file", file));
            var root = json.getAsJsonObject();
            var version = root.has("version") ? root.get("version").getAsString() : "none";
            if (!version.equals(VERSION))
                throw unreadable(file, "version: " + version + " (expected: 1)");
            var pipeds = new ArrayList<Piped>();
            for (var each : part(root, "pipeds"))
                pipeds.add(parsed(each, Piped.newBuilder()).build());
            var applications = new ArrayList<Application>();
            for (var each : part(root, "applications"))
                applications.add(parsed(each, Application.newBuilder()).build());
            var created = root.has("created_at") ? root.get("created_at").getAsString() : "";
            return new Backup(created, pipeds, applications);
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | InvalidProtocolBufferException e) {
            throw unreadable(file, String.valueOf(e.getMessage()));
        }
    }

    private static JsonArray part(JsonObject root, String name) {
        return root.has(name) && root.get(name).isJsonArray()
                ? root.getAsJsonArray(name)
                : new JsonArray();
    }

    private static <B extends Message.Builder> B parsed(JsonElement json, B into)
            throws InvalidProtocolBufferException {
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), into);
        return into;
    }

    private static Problem unreadable(Path file, String why) {
        return new Problem(
                Code.SETTING_INVALID,
                "--input-file: %s (expected: a file that `pipectl transfer backup` wrote)"
                        .formatted(file),
                why + ".");
    }
}
