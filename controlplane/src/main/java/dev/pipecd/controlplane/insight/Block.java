// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.insight;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.StageStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The public files of one project and year: chunks of deployments, and what tells of them. A chunk
/// that is completed is never touched again, since readers keep it for days: what stands there
/// stays as it was told first.
final class Block {
    private static final String META = "block_meta.json";
    private static final String COMPLETED_AT = "completed_at";

    private final FileStore files;
    private final Folder folder;
    private final int chunkSize;

    Block(FileStore files, Folder folder, int chunkSize) {
        this.files = files;
        this.folder = folder;
        this.chunkSize = chunkSize;
    }

    /// Adds those that are not there yet. What the chunks hold counts, not what is told of them: a
    /// crash may have come between.
    void add(List<Deployment> deployments) {
        var fresh = new LinkedHashMap<String, ObjectNode>();
        deployments.stream()
                .sorted(
                        Comparator.comparingLong(Deployment::getCompletedAt)
                                .thenComparing(Deployment::getId))
                .forEach(d -> fresh.put(d.getId(), told(d)));
        var chunks = chunks();
        // Not when they ended: an end told before may have been another one, as of who was lost.
        var first = deployments.stream().mapToLong(Deployment::getCreatedAt).min().orElse(0);
        for (var chunk : chunks)
            if (chunk.completed && chunk.max >= first)
                read(chunk.index).keySet().forEach(fresh::remove);
        fill(chunks, fresh);
    }

    private void fill(List<Chunk> chunks, Map<String, ObjectNode> fresh) {
        var changed = false;
        var floor = 0L;
        for (var index = 0; index < chunks.size() || !fresh.isEmpty(); index++) {
            if (index == chunks.size()) chunks.add(new Chunk(index));
            var chunk = chunks.get(index);
            if (!chunk.completed && filled(chunk, fresh, floor)) changed = true;
            floor = Math.max(floor, chunk.max);
        }
        if (changed) put(META, meta(chunks));
    }

    /// @param floor the last time told in the chunks before
    private boolean filled(Chunk chunk, Map<String, ObjectNode> fresh, long floor) {
        var held = read(chunk.index);
        var before = held.toString();
        held.keySet()
                .forEach(id -> {
                    var now = fresh.remove(id);
                    if (now != null) held.put(id, now); // a late report may have corrected it
                });
        var news = fresh.entrySet().iterator();
        while (held.size() < chunkSize && news.hasNext()) {
            var next = news.next();
            held.put(next.getKey(), next.getValue());
            news.remove();
        }
        held.values().forEach(d -> keepInOrder(d, floor));
        if (held.toString().equals(before) && chunk.count == held.size()) return false;
        write(chunk, held);
        return true;
    }

    /// The public server takes days as they come, chunk after chunk: behind one that stands too
    /// late it finds no other, and shows nothing for those that follow.
    private static void keepInOrder(ObjectNode deployment, long floor) {
        if (deployment.path(COMPLETED_AT).asLong() < floor) deployment.put(COMPLETED_AT, floor);
    }

    private void write(Chunk chunk, Map<String, ObjectNode> held) {
        var file = JsonNodeFactory.instance.objectNode().put("chunk_id", name(chunk.index));
        var list = file.putArray("deployments");
        held.values().stream()
                .sorted(Comparator.comparingLong(d -> d.path(COMPLETED_AT).asLong()))
                .forEach(list::add);
        put(name(chunk.index) + ".json", file);
        var times = held.values().stream().mapToLong(d -> d.path(COMPLETED_AT).asLong());
        var span = times.summaryStatistics();
        chunk.min = span.getMin();
        chunk.max = span.getMax();
        chunk.count = held.size();
        chunk.completed = held.size() >= chunkSize;
    }

    private Map<String, ObjectNode> read(int index) {
        var held = new LinkedHashMap<String, ObjectNode>();
        files.get(folder.file(name(index) + ".json"))
                .map(Json::parsed)
                .ifPresent(file ->
                        file.path("deployments")
                                .forEach(d -> {
                                    if (d instanceof ObjectNode one)
                                        held.put(one.path("id").asText(), one);
                                }));
        return held;
    }

    private List<Chunk> chunks() {
        var chunks = new ArrayList<Chunk>();
        files.get(folder.file(META))
                .map(Json::parsed)
                .ifPresent(file ->
                        file.path("chunk_metadata")
                                .forEach(m -> chunks.add(new Chunk(chunks.size(), m))));
        return chunks;
    }

    private ObjectNode meta(List<Chunk> chunks) {
        var meta = JsonNodeFactory.instance.objectNode().put("block_id", folder.block());
        var list = meta.putArray("chunk_metadata");
        for (var chunk : chunks)
            list.addObject()
                    .put("chunk_id", name(chunk.index))
                    .put("chunk_index", chunk.index)
                    .put("min_timestamp", chunk.min)
                    .put("max_timestamp", chunk.max)
                    .put("count", chunk.count)
                    .put("completed", chunk.completed);
        return meta;
    }

    private void put(String name, ObjectNode content) {
        files.put(folder.file(name), Json.bytes(content));
    }

    private static String name(int index) {
        return "chunk_" + index;
    }

    private static ObjectNode told(Deployment deployment) {
        var told =
                JsonNodeFactory.instance
                        .objectNode()
                        .put("id", deployment.getId())
                        .put("app_id", deployment.getApplicationId());
        var labels = told.putObject("labels");
        deployment.getLabelsMap().forEach(labels::put);
        return told.put("started_at", deployment.getCreatedAt())
                .put(COMPLETED_AT, deployment.getCompletedAt())
                .put("complete_status", deployment.getStatus().name())
                .put("rollback_started_at", rollback(deployment));
    }

    private static long rollback(Deployment deployment) {
        return deployment.getStagesList().stream()
                .filter(s -> s.getRollback() || s.getName().equals("ROLLBACK"))
                .filter(s -> s.getStatus() != StageStatus.STAGE_NOT_STARTED_YET)
                .mapToLong(s -> s.getCreatedAt())
                .findFirst()
                .orElse(0);
    }

    /// Where the files of a project and a year are.
    record Folder(String project, String block) {
        FilePath file(String name) {
            return FilePath.of("insights", project, "completed-deployments", block, name);
        }
    }

    /// What is told of a chunk.
    private static final class Chunk {
        final int index;
        long min;
        long max;
        int count;
        boolean completed;

        Chunk(int index) {
            this.index = index;
        }

        Chunk(int index, JsonNode told) {
            this.index = index;
            min = told.path("min_timestamp").asLong();
            max = told.path("max_timestamp").asLong();
            count = told.path("count").asInt();
            completed = told.path("completed").asBoolean();
        }
    }
}
