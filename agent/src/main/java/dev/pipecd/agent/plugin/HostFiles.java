// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.config.PipedConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The host's files in the agent's data directory: what it is told, and who it is.
final class HostFiles {
    private static final Logger log = LoggerFactory.getLogger(HostFiles.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path directory;
    private final Path config;
    private final Path identity;

    HostFiles(Path dataDirectory) {
        this.directory = dataDirectory.toAbsolutePath().normalize();
        this.config = directory.resolve("plugin-host.json");
        this.identity = directory.resolve("plugin-host.pid");
    }

    Path config() {
        return config;
    }

    /// Tells the host everything by a file only we can read: arguments are shown to every user.
    void writeConfig(String token, List<PipedConfig.Plugin> plugins) throws IOException {
        var root = JSON.createObjectNode();
        root.put("token", token);
        root.put("stateDirectory", directory.resolve("plugin-state").toString());
        var list = root.putArray("plugins");
        for (var plugin : plugins) {
            var entry = list.addObject();
            entry.put("name", plugin.name());
            entry.put("builtin", plugin.builtin().orElseThrow());
            entry.put("port", plugin.port());
            putUnlessNull(entry, "config", plugin.config());
            var targets = entry.putArray("deployTargets");
            for (var target : plugin.deployTargets()) {
                var one = targets.addObject();
                one.put("name", target.name());
                target.labels().forEach(one.putObject("labels")::put);
                putUnlessNull(one, "config", target.config());
            }
        }
        write(config, JSON.writeValueAsBytes(root));
    }

    private static void putUnlessNull(
            com.fasterxml.jackson.databind.node.ObjectNode node, String key, JsonNode value) {
        if (!value.isNull()) node.set(key, value);
    }

    /// Remembers the host, so that the next life of the agent can end it.
    void remember(long pid) throws IOException {
        var start = ProcessGroup.startOf(pid);
        if (start.isPresent())
            write(identity, (pid + "\n" + start.get() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    void forget() throws IOException {
        Files.deleteIfExists(identity);
        Files.deleteIfExists(config);
    }

    /// Ends the host that an agent killed with -9 left behind: it has an old configuration, an old
    /// token and perhaps our ports. Its scripts live in sessions of their own and go on.
    void endLeftBehind() throws IOException {
        try {
            var lines = Files.readAllLines(identity);
            if (lines.size() >= 2) {
                var pid = Long.parseLong(lines.get(0));
                // Process ids are used again: another process with this id is not ours to end.
                if (ProcessGroup.startOf(pid).filter(lines.get(1)::equals).isPresent()) {
                    log.info("plugin host of an earlier run is ended pid={}", pid);
                    ProcessGroup.killLeftBehind(pid);
                }
            }
        } catch (NoSuchFileException e) {
            return;
        } catch (NumberFormatException e) {
            log.warn(
                    "{} is damaged and removed; a plugin host of an earlier run ends by itself",
                    identity);
        }
        forget();
    }

    private static void write(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.resolveSibling(""));
        var half = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(half);
        var onlyUs =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var channel =
                FileChannel.open(
                        half,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        onlyUs)) {
            var buffer = java.nio.ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) channel.write(buffer);
            channel.force(true);
        }
        Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
