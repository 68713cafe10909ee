// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.module.Gitlink;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.treewalk.TreeWalk;

/// Writes folders of a commit to disk, as a work tree would hold them. What is a commit of another
/// repository becomes an empty folder, and is told.
final class TreeExport {
    private final Repository mirror;
    private final Path root;
    private final Path inside;
    private final List<Gitlink> links = new ArrayList<>();

    TreeExport(Repository mirror, Path root) {
        this.mirror = mirror;
        this.root = root;
        this.inside = root.toAbsolutePath().normalize();
    }

    /// Writes the folder `path` of the commit; a folder that is not there is left out.
    void write(TreePath commit, List<String> path) throws IOException {
        var name = String.join("/", path);
        var entry = commit.find(name);
        if (entry.isEmpty() || entry.get().mode() != FileMode.TREE) return;
        var folder = root;
        for (var part : path) folder = folder.resolve(checked(part, name));
        Files.createDirectories(folder);
        // Submodules are named by where they are, not by links that lead there.
        writeFolder(entry.get().object(), folder, commit.real(name).orElse(name));
    }

    /// Writes all of the commit into a folder inside the root.
    void write(TreePath commit, Path folder) throws IOException {
        writeFolder(commit.root(), folder, "");
    }

    /// The folders that were left empty.
    List<Gitlink> links() {
        return List.copyOf(links);
    }

    private void writeFolder(ObjectId tree, Path folder, String path) throws IOException {
        try (var walk = new TreeWalk(mirror)) {
            walk.addTree(tree);
            while (walk.next()) {
                var file = resolve(folder, walk.getNameString());
                var here =
                        path.isEmpty() ? walk.getNameString() : path + "/" + walk.getNameString();
                var mode = walk.getFileMode(0);
                if (mode == FileMode.TREE) {
                    if (!Files.isDirectory(file)) Files.createDirectory(file);
                    writeFolder(walk.getObjectId(0), file, here);
                } else if (mode == FileMode.GITLINK) {
                    Files.createDirectory(file);
                    links.add(new Gitlink(here, walk.getObjectId(0).name(), file));
                } else if (mode == FileMode.SYMLINK) {
                    writeLink(walk.getObjectId(0), file);
                } else {
                    writeFile(walk.getObjectId(0), file, mode == FileMode.EXECUTABLE_FILE);
                }
            }
        }
    }

    private void writeFile(ObjectId blob, Path file, boolean executable) throws IOException {
        var permissions = PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--");
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            mirror.open(blob, Constants.OBJ_BLOB).copyTo(Channels.newOutputStream(channel));
        }
        Files.setPosixFilePermissions(file, permissions);
    }

    private void writeLink(ObjectId blob, Path link) throws IOException {
        var target = TreePath.target(mirror, blob);
        try {
            var folder = link.toAbsolutePath().normalize().getParent();
            var place = folder == null ? inside : folder.resolve(target).normalize();
            // `..` behind a name could climb out through another link.
            if (target.startsWith("/") || climbsInside(target) || !place.startsWith(inside))
                throw new Problem(
                        Problem.Code.PATH_LEAVES_REPOSITORY,
                        "%s: a link to \"%s\" (expected: a target inside what is exported)"
                                .formatted(shown(link), Texts.visible(target)),
                        "Replace the link by the file it stands for, or move the target into the"
                                + " application's directory or .pipe.");
            Files.createSymbolicLink(link, Path.of(target));
        } catch (InvalidPathException e) {
            throw unnameable(target, e);
        }
    }

    private static boolean climbsInside(String target) {
        var named = false;
        for (var part : target.split("/", -1)) {
            if (named && part.equals("..")) return true;
            named |= !part.isEmpty() && !part.equals(".") && !part.equals("..");
        }
        return false;
    }

    private Path resolve(Path folder, String name) {
        return folder.resolve(checked(name, shown(folder)));
    }

    /// Trees made by hand can hold names that no work tree may have.
    private static Path checked(String name, String where) {
        if (name.isEmpty()
                || name.equals(".")
                || name.equals("..")
                || name.equalsIgnoreCase(".git")
                || name.indexOf('/') >= 0
                || name.indexOf('\0') >= 0) throw TreePath.leaves(where + "/" + name);
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw unnameable(name, e);
        }
    }

    private String shown(Path file) {
        return Texts.visible(root.relativize(file).toString());
    }

    private static Problem unnameable(String name, InvalidPathException cause) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "file name: \"%s\" (expected: a name that the agent's locale can write)"
                        .formatted(Texts.visible(name)),
                "Start the agent with LC_ALL=C.UTF-8.",
                cause);
    }
}
