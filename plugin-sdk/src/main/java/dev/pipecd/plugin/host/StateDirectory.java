// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.config.PipedConfig.Plugin;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What one plugin keeps on disk: a directory per stage that outlives the host,
/// `<deployment>/<stage>/`.
record StateDirectory(Path root, Disk disk) {
    private static final Logger log = LoggerFactory.getLogger(StateDirectory.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,200}");
    private static final String ENDED = "ended";
    private static final Duration KEPT = Duration.ofDays(7);

    /// Brings the names in a folder to the disk.
    interface Disk {
        void sync(Path dir) throws IOException;
    }

    static StateDirectory of(Path state, String plugin) {
        if (Plugin.isName(plugin))
            return new StateDirectory(state.resolve(plugin), StateDirectory::sync);
        throw refused("plugin", plugin, "a name without slashes and leading dot");
    }

    Path of(StageKey key) {
        return root.resolve(name("deployment", key.deployment()))
                .resolve(name("stage", key.stage()));
    }

    /// Ids become file names, and come from the network: nothing that could lead out of the
    /// directory is let in.
    private static String name(String what, String value) {
        if (NAME.matcher(value).matches()) return value;
        throw refused(what, value, "letters, digits, dot, dash, underscore");
    }

    private static Problem refused(String what, String value, String expected) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                what + ": \"" + value + "\" (expected: " + expected + ")",
                "");
    }

    /// Makes the stage's directory and makes sure a power cut does not forget it: what is claimed
    /// in it must stay.
    boolean create(StageKey key) {
        var wanted = of(key);
        var existed = Files.isDirectory(wanted);
        try {
            var needed = new ArrayList<Path>();
            for (var dir = wanted;
                    dir.startsWith(root) || !Files.isDirectory(dir);
                    dir = parent(dir)) needed.add(dir);
            for (var dir : needed.reversed()) {
                if (!Files.isDirectory(dir)) makeOne(dir);
                // Also of one that was there: who made it may have died before this.
                disk.sync(parent(dir));
            }
        } catch (IOException e) {
            throw unusable(wanted, e);
        }
        return !existed;
    }

    private static Problem unusable(Path wanted, IOException e) {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "state directory: %s cannot be made: %s (expected: a folder the plugin can write, on a disk with room)"
                        .formatted(wanted, e),
                "Make room or mend its rights; it is in `--data-dir` of the agent, or in $HOME/.piped with the public one.",
                e);
    }

    private static void makeOne(Path dir) throws IOException {
        try {
            Files.createDirectory(
                    dir,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(dir)) throw e;
        }
    }

    private static Path parent(Path dir) {
        var parent = dir.getParent();
        if (parent == null)
            throw new IllegalArgumentException("stateDirectory: " + dir + " (expected: below /)");
        return parent;
    }

    private static void sync(Path dir) throws IOException {
        try (var channel = FileChannel.open(dir, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /// Notes that the stage is over, so that its directory goes after a week.
    void ended(StageKey key, Instant now) {
        if (!Files.isDirectory(of(key))) return;
        try {
            var mark = Files.writeString(of(key).resolve(ENDED), "");
            Files.setLastModifiedTime(mark, FileTime.from(now));
        } catch (IOException e) {
            log.warn("{} stays for good: {}", of(key), e.toString());
        }
    }

    /// The deployments that have directories here.
    List<String> deployments() {
        return children(root).stream().map(dir -> dir.getFileName().toString()).toList();
    }

    /// Removes what belongs to stages of this deployment that ended more than a week ago.
    void sweep(String deployment, Instant now) {
        for (var stage : children(root.resolve(deployment))) {
            try {
                var ended = stage.resolve(ENDED);
                if (Files.exists(ended)
                        && Files.getLastModifiedTime(ended).toInstant().isBefore(now.minus(KEPT)))
                    remove(stage);
            } catch (IOException | UncheckedIOException e) {
                log.warn("{} could not be removed: {}", stage, e.toString());
            }
        }
    }

    private static List<Path> children(Path dir) {
        if (!Files.isDirectory(dir)) return List.of();
        try (var entries = Files.list(dir)) {
            return entries.filter(Files::isDirectory).toList();
        } catch (IOException e) {
            log.warn("{} could not be read: {}", dir, e.toString());
            return List.of();
        }
    }

    private static void remove(Path stage) throws IOException {
        try (var files = Files.walk(stage)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
        }
        var deployment = parent(stage);
        if (children(deployment).isEmpty()) Files.delete(deployment);
    }
}
