// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.tool;

import dev.pipecd.agent.plugin.fetch.Checksum;
import dev.pipecd.agent.process.ProcessGroup;
import dev.pipecd.agent.process.ProgramFile;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Installs what plugins need, each tool and version once, however many ask for it.
public final class Tools implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tools.class);
    private static final int OUTPUT_TOLD = 2000;
    private static final String HALF = "half-";

    private final Path folder;
    private final PipedConfig.Tools settings;
    private final Duration limit;
    private final Map<String, Object> locks = new ConcurrentHashMap<>();
    private final Set<ProcessGroup> underWay = new HashSet<>();
    private boolean closed;

    /// @param limit how long a script may take
    public Tools(Path folder, PipedConfig.Tools settings, Duration limit) {
        this.folder = folder.toAbsolutePath().normalize();
        this.settings = settings;
        this.limit = limit;
    }

    /// Takes away what killed agents left half installed. The folder may be shared: what another
    /// agent may still be at is left. Its own clock tells, which need not be this machine's.
    public void sweep() {
        if (!Files.isDirectory(folder)) return;
        try {
            var mark = Files.createTempFile(folder, HALF, "");
            var now = Files.getLastModifiedTime(mark).toInstant();
            Files.delete(mark);
            try (var halves = Files.newDirectoryStream(folder, HALF + "*")) {
                for (var half : halves)
                    if (Files.getLastModifiedTime(half)
                            .toInstant()
                            .plus(limit.multipliedBy(2))
                            .isBefore(now)) remove(half);
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.warn("what was left half installed in {} stays behind: {}", folder, e.toString());
        }
    }

    /// Where the tool is; a `Problem` says why it is not.
    public Path install(String name, String version, String script) {
        plain("name", name);
        plain("version", version);
        var tool = name + "-" + version;
        synchronized (locks.computeIfAbsent(tool, _ -> new Object())) {
            try {
                var place = folder.resolve(tool);
                if (isGood(place, tool)) return place;
                Files.createDirectories(folder);
                var work = Files.createTempDirectory(folder, HALF);
                try {
                    var made = work.resolve("tool");
                    if (!fromFolder(tool, made)) byScript(name, version, script, work);
                    put(made, place, tool);
                    return place;
                } finally {
                    remove(work);
                }
            } catch (IOException e) {
                throw failed(tool, e.toString(), "Check the disk and `--tools-dir`.");
            }
        }
    }

    /// They become part of a path and of a shell's text.
    private static void plain(String what, String text) {
        if (!text.matches("[A-Za-z0-9][A-Za-z0-9._+-]{0,99}"))
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "%s: \"%s\" (expected: letters, digits, dots, dashes)".formatted(what, text),
                    "This is a fault of the plugin: tell its author.");
    }

    private boolean isGood(Path place, String tool) throws IOException {
        if (!Files.isExecutable(place)) return false;
        var pinned = pinned(tool);
        if (pinned.isEmpty()) {
            var source = inDirectory(tool);
            return source.isEmpty() || Files.mismatch(source.get(), place) < 0;
        }
        if (pinned.get().equals(Checksum.of(place))) return true;
        log.warn("{} is not of the checksum that is configured and is installed again", place);
        return false;
    }

    private Optional<Path> inDirectory(String tool) {
        return Optional.of(settings.directory())
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory).resolve(tool))
                .filter(Files::isRegularFile);
    }

    private Optional<Checksum> pinned(String tool) {
        return Optional.ofNullable(settings.checksums().get(tool)).map(Checksum::parse);
    }

    private boolean fromFolder(String tool, Path made) throws IOException {
        var source = inDirectory(tool);
        if (source.isPresent()) {
            Files.copy(source.get(), made);
            return true;
        }
        if (settings.offline() && !settings.directory().isEmpty())
            throw failed(
                    tool,
                    "it is not in %s, and `tools.offline` is set".formatted(settings.directory()),
                    "Put the program there as %s.".formatted(tool));
        return false;
    }

    private void byScript(String name, String version, String script, Path work)
            throws IOException {
        var tool = name + "-" + version;
        if (settings.offline())
            throw failed(
                    tool,
                    "`tools.offline` is set without a `tools.directory`",
                    "Name the folder that holds the tools.");
        var room = Files.createDirectory(work.resolve("room"));
        var output = work.resolve("output");
        var filled = new InstallScript(script).filled(name, version, work.resolve("tool"), room);
        log.info("tool {} is being installed", tool);
        var group = begin(tool, output, filled);
        try {
            var ended = group.process().waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            refuseWhenClosed(tool);
            if (!ended)
                throw failed(
                        tool,
                        "its script took longer than %d s".formatted(limit.toSeconds()),
                        "Check the network and the proxy; or put it into `tools.directory`.");
            if (group.process().exitValue() != 0 || !Files.isRegularFile(work.resolve("tool")))
                throw failed(
                        tool,
                        "its script ended with exit code %d and said: %s"
                                .formatted(group.process().exitValue(), end(output)),
                        "Check the network and the proxy; or put it into `tools.directory`.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stopped(tool);
        } finally {
            group.kill();
            over(group);
        }
    }

    private synchronized ProcessGroup begin(String tool, Path output, String script)
            throws IOException {
        refuseWhenClosed(tool);
        var group =
                ProcessGroup.start(
                        List.of(
                                "/bin/sh",
                                "-c",
                                "exec >\"$1\" 2>&1; eval \"$2\"",
                                "install",
                                output.toString(),
                                script),
                        Map.of(),
                        Set.of());
        underWay.add(group);
        return group;
    }

    private synchronized void over(ProcessGroup group) {
        underWay.remove(group);
    }

    private synchronized void refuseWhenClosed(String tool) {
        if (closed) throw stopped(tool);
    }

    private static Problem stopped(String tool) {
        return failed(tool, "the agent stops", "");
    }

    /// Ends what is under way, which nobody waits for any more, and begins nothing from here on.
    @Override
    public synchronized void close() {
        closed = true;
        underWay.forEach(ProcessGroup::kill);
    }

    private static String end(Path output) throws IOException {
        if (!Files.exists(output)) return "nothing";
        try (var channel = FileChannel.open(output)) {
            channel.position(Math.max(0, channel.size() - OUTPUT_TOLD));
            var text =
                    new String(
                            java.nio.channels.Channels.newInputStream(channel).readAllBytes(),
                            StandardCharsets.UTF_8);
            return "\"%s\"".formatted(text.strip().replaceAll("\\R", " | "));
        }
    }

    /// It gets its name when it is whole, on the disk, and what was asked for.
    private void put(Path made, Path place, String tool) throws IOException {
        var got = Checksum.of(made);
        var wanted = pinned(tool);
        if (wanted.isPresent() && !wanted.get().equals(got))
            throw failed(
                    tool,
                    "checksum: %s (expected: %s)".formatted(got, wanted.get()),
                    "Do not use it before you know why it changed; if it may, correct `tools.checksums`.");
        var whole = made.resolveSibling("whole");
        ProgramFile.copy(made, whole);
        Files.move(whole, place, StandardCopyOption.ATOMIC_MOVE);
        log.info("tool {} is installed: {}", tool, got);
    }

    private static Problem failed(String tool, String why, String advice) {
        return new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "tool: %s cannot be installed: %s".formatted(tool, why),
                advice);
    }

    private static void remove(Path folder) {
        try (var paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder())
                    .forEach(path -> {
                        try {
                            Files.delete(path);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        } catch (IOException | UncheckedIOException e) {
            log.warn("{} stays behind; remove it by hand when convenient", folder);
        }
    }
}
