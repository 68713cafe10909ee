// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.config.PipedConfig.Plugin;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
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
/// `<deployment>+<stage>/`, and when it has ended a file beside it. One inside another would cost
/// more than what they hold.
record StateDirectory(Path root, Disk disk) {
    private static final Logger log = LoggerFactory.getLogger(StateDirectory.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,120}");

    /// In no id.
    private static final String BETWEEN = "+";

    private static final String ENDED = ".ended";
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
        return root.resolve(
                name("deployment", key.deployment()) + BETWEEN + name("stage", key.stage()));
    }

    /// Ids become file names, and come from the network: nothing that could lead out of the
    /// directory is let in.
    private static String name(String what, String value) {
        if (NAME.matcher(value).matches()) return value;
        throw refused(what, value, "at most 121 letters, digits, dots, dashes, underscores");
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
            // Called again it goes on, perhaps for longer than what ended is kept.
            Files.deleteIfExists(mark(wanted));
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
            var mark = Files.writeString(mark(of(key)), "");
            Files.setLastModifiedTime(mark, FileTime.from(now));
        } catch (IOException e) {
            log.warn("{} stays for good: {}", of(key), e.toString());
        }
    }

    private static Path mark(Path stage) {
        return stage.resolveSibling(stage.getFileName() + ENDED);
    }

    /// The directories of stages that ended more than a week ago.
    List<Path> outlived(Instant now) {
        if (!Files.isDirectory(root)) return List.of();
        try (var marks = Files.newDirectoryStream(root, "*" + ENDED)) {
            var outlived = new ArrayList<Path>();
            for (var mark : marks)
                if (Files.getLastModifiedTime(mark).toInstant().isBefore(now.minus(KEPT)))
                    outlived.add(stage(mark));
            return outlived;
        } catch (IOException | DirectoryIteratorException e) {
            log.warn("{} could not be read: {}", root, e.toString());
            return List.of();
        }
    }

    private Path stage(Path mark) {
        var name = mark.getFileName().toString();
        return root.resolve(name.substring(0, name.length() - ENDED.length()));
    }

    static String deployment(Path stage) {
        return stage.getFileName().toString().split(Pattern.quote(BETWEEN), 2)[0];
    }

    /// What tells that it ended goes last: a host that dies over this is followed by one that goes
    /// on.
    void remove(Path stage) {
        try {
            if (Files.exists(stage))
                try (var files = Files.walk(stage)) {
                    for (var file : files.sorted(Comparator.reverseOrder()).toList())
                        Files.delete(file);
                }
            Files.deleteIfExists(mark(stage));
        } catch (IOException | UncheckedIOException e) {
            log.warn("{} could not be removed: {}", stage, e.toString());
        }
    }
}
