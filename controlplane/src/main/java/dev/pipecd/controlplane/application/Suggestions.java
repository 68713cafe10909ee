// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.application;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.document.GoJson;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.FileStore;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.wire.model.ApplicationInfo;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Configurations that agents found in Git and nobody has registered: each agent's whole list
/// replaces its last one. A file for each agent, one configuration a line, because an agent that
/// finds nothing new says nothing: what was told once must outlive this process.
public final class Suggestions {
    private static final Logger log = LoggerFactory.getLogger(Suggestions.class);
    private static final int READ_AT_ONCE = 16;

    /// Of an agent, in bytes; a configuration takes a few hundred.
    private static final int MOST_KEPT = 1 << 20;

    /// Of a project, in bytes.
    private static final int MOST_LISTED = 16 << 20;

    private final Pipeds pipeds;
    private final FileStore files;

    public Suggestions(Pipeds pipeds, FileStore files) {
        this.pipeds = pipeds;
        this.files = files;
    }

    public void replace(Agent agent, List<ApplicationInfo> applications) {
        var path = path(agent.piped().value());
        var told = told(agent, applications);
        var known = files.get(path).orElse(new byte[0]);
        // told every minute: only news is written
        if (Arrays.equals(told, known)) return;
        files.put(path, told);
        var left = applications.size() - parsed(told).size();
        if (left > 0)
            log.warn(
                    "agent {} found more application files that nobody registered than are kept,"
                            + " {} are left out. Register them, or let it watch less.",
                    agent.piped().value(),
                    left);
    }

    /// As many as there is room for: several of these files are read at once.
    private static byte[] told(Agent agent, List<ApplicationInfo> applications) {
        var told = new ByteArrayOutputStream();
        for (var each : applications) {
            var owned = each.toBuilder().setPipedId(agent.piped().value()).build();
            var line = (GoJson.write(owned) + "\n").getBytes(StandardCharsets.UTF_8);
            if (told.size() + line.length > MOST_KEPT) break;
            told.writeBytes(line);
        }
        return told.toByteArray();
    }

    /// Those of agents that are enabled, by path. What a few agents told without end is left out,
    /// so that the rest finds room.
    public List<ApplicationInfo> list(Caller caller) {
        caller.require(Resource.APPLICATION, Action.LIST);
        var paths = pipeds.enabled(caller.project()).stream().map(p -> path(p.getId())).toList();
        var room = MOST_LISTED;
        var left = 0;
        var found = new ArrayList<ApplicationInfo>();
        for (var from = 0; from < paths.size(); from += READ_AT_ONCE)
            for (var told :
                    read(paths.subList(from, Math.min(paths.size(), from + READ_AT_ONCE)))) {
                if (told.length > room) {
                    left++;
                    continue;
                }
                room -= told.length;
                found.addAll(parsed(told));
            }
        if (left > 0)
            log.warn(
                    "project {}: {} agents found more application files that nobody registered than"
                            + " are listed. Register them, or let these agents watch less.",
                    caller.project(),
                    left);
        found.sort(
                Comparator.comparing(ApplicationInfo::getPath)
                        .thenComparing(ApplicationInfo::getPipedId));
        return found;
    }

    /// Side by side: a bucket takes its time for each, and there may be thousands.
    private List<byte[]> read(List<FilePath> paths) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var found = new ArrayList<byte[]>();
            for (var file :
                    threads.invokeAll(
                            paths.stream()
                                    .map(p -> (Callable<Optional<byte[]>>) () -> files.get(p))
                                    .toList())) file.get().ifPresent(found::add);
            return found;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) throw known;
            throw new IllegalStateException(e);
        }
    }

    private static List<ApplicationInfo> parsed(byte[] told) {
        return new String(told, StandardCharsets.UTF_8)
                .lines()
                .map(line -> GoJson.read(ApplicationInfo.getDefaultInstance(), line))
                .toList();
    }

    private static FilePath path(String piped) {
        return FilePath.of("unregistered-applications", piped + ".jsonl");
    }
}
