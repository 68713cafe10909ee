// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import dev.pipecd.agent.process.ProcessGroup;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A plugin process' files in the agent's data directory: what it is told, and who it is.
public final class ProcessFiles {
    private static final Logger log = LoggerFactory.getLogger(ProcessFiles.class);
    private static final String RECORD = ".pid";

    /// The process writes down itself who it is before it becomes the plugin: whenever the agent
    /// dies, there is a record or no plugin. Process ids are used again, so its start time and the
    /// boot stand beside it.
    private static final String RECORD_AND_BECOME =
            """
            { read -r boot </proc/sys/kernel/random/boot_id &&
            read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ start _ </proc/$$/stat &&
            printf '%s\\n%s %s\\n' $$ "$boot" "$start" >"$1"; } ||
            { echo "$1 cannot be written" >&2; exit 125; }
            shift
            exec "$@"
            """;

    private final Path directory;
    private final Path config;
    private final Path record;

    public ProcessFiles(Path dataDirectory, String stem) {
        this.directory = dataDirectory.toAbsolutePath().normalize();
        this.config = directory.resolve(stem + ".json");
        this.record = directory.resolve(stem + RECORD);
    }

    Path config() {
        return config;
    }

    /// By a file only we can read: arguments are shown to every user.
    void writeConfig(byte[] content) throws IOException {
        Files.createDirectories(directory);
        var half = config.resolveSibling(config.getFileName() + ".tmp");
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
        Files.move(half, config, StandardCopyOption.ATOMIC_MOVE);
    }

    /// The command that records its process and becomes `argv`.
    List<String> recorded(List<String> argv) throws IOException {
        Files.createDirectories(directory);
        var command = new ArrayList<>(List.of("sh", "-c", RECORD_AND_BECOME, "plugin"));
        command.add(record.toString());
        command.addAll(argv);
        return command;
    }

    /// Where plugins keep what outlives them.
    Path state() {
        return directory.resolve("plugin-state");
    }

    /// Tells the same to plugins made with our SDK; others do not know the variable.
    Map<String, String> environment() {
        return Map.of("PIPECD_PLUGIN_STATE_DIRECTORY", state().toString());
    }

    void forget() throws IOException {
        Files.deleteIfExists(record);
        Files.deleteIfExists(config);
    }

    /// Ends every plugin process that an agent killed with -9 left behind, also of plugins that are
    /// not configured any more: it has an old configuration and perhaps our ports. Its scripts live
    /// in sessions of their own and go on.
    public static void endLeftBehind(Path dataDirectory) throws IOException {
        if (!Files.isDirectory(dataDirectory)) return;
        try (var records = Files.newDirectoryStream(dataDirectory, "*" + RECORD)) {
            for (var record : records) {
                endOne(record);
                Files.deleteIfExists(record);
            }
        }
        try (var configs = Files.newDirectoryStream(dataDirectory, "plugin-host*.json")) {
            for (var config : configs) Files.deleteIfExists(config);
        }
    }

    private static void endOne(Path record) throws IOException {
        var lines = Files.readAllLines(record);
        if (lines.size() < 2 || !lines.get(0).matches("\\d{1,10}")) {
            log.warn(
                    "{} is damaged and removed; end by hand a plugin process of an earlier run, if there is one",
                    record);
            return;
        }
        var pid = Long.parseLong(lines.get(0));
        var began = ProcessGroup.startOf(pid);
        // Process ids are used again: another process with this id is not ours to end.
        if (began.isPresent() && !began.get().equals(lines.get(1))) return;
        // A plugin that died with its agent may have left a script, which must not meet the next.
        if (began.isEmpty() && !ProcessGroup.hasLeftBehind(pid, lines.get(1))) return;
        log.info("plugin process of an earlier run is ended pid={} record={}", pid, record);
        ProcessGroup.killLeftBehind(pid);
    }
}
