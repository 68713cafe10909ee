// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import dev.pipecd.agent.source.module.Gitlink;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes folders of a commit to disk, as a work tree would hold them. What is a commit of another
/// repository becomes an empty folder, and is told.
public final class TreeExport {
    private static final Logger log = LoggerFactory.getLogger(TreeExport.class);

    private final Repository mirror;
    private final Path root;
    private final Path inside;
    private final Set<Path> apart = new HashSet<>();
    private final List<Gitlink> links = new ArrayList<>();

    public TreeExport(Repository mirror, Path root) {
        this.mirror = mirror;
        this.root = root;
        this.inside = root.toAbsolutePath().normalize();
    }

    /// Writes each place where it is in the commit; one inside another is written once.
    public void write(Surroundings given) throws IOException {
        for (var place : given.places()) apart.add(disk(place.path()));
        for (var place : given.places()) {
            var file = disk(place.path());
            Files.createDirectories(file.resolveSibling(""));
            // Submodules are named by where they are, not by links that lead there.
            write(place.entry(), file, place.real(), place.claim());
        }
    }

    /// Writes all of the commit into a folder inside the root.
    ///
    /// @param needed whether what is wrong with it is a `Problem`, or is left out
    public void write(TreePath commit, Path folder, boolean needed) throws IOException {
        writeFolder(commit.root(), folder, "", needed ? Claim.OWN : Claim.MENTIONED);
    }

    private Path disk(String path) {
        var file = root;
        for (var part : TreePath.parts(path)) file = file.resolve(checked(part, path));
        return file;
    }

    /// The folders that were left empty.
    public List<Gitlink> links() {
        return List.copyOf(links);
    }

    private void writeFolder(ObjectId tree, Path folder, String path, Claim claim)
            throws IOException {
        try (var walk = new TreeWalk(mirror)) {
            walk.addTree(tree);
            while (walk.next()) {
                var file = resolve(folder, walk.getNameString());
                if (apart.contains(file)) continue;
                var here =
                        path.isEmpty() ? walk.getNameString() : path + "/" + walk.getNameString();
                write(
                        new TreePath.Entry(walk.getFileMode(0), walk.getObjectId(0)),
                        file,
                        here,
                        claim);
            }
        }
    }

    private void write(TreePath.Entry entry, Path file, String path, Claim claim)
            throws IOException {
        if (entry.mode() == FileMode.TREE) {
            if (!Files.isDirectory(file)) Files.createDirectory(file);
            writeFolder(entry.object(), file, path, claim);
        } else if (entry.mode() == FileMode.GITLINK) {
            Files.createDirectory(file);
            links.add(new Gitlink(path, entry.object().name(), file, claim.isNeeded()));
        } else if (entry.mode() == FileMode.SYMLINK) {
            writeLink(entry.object(), file, claim);
        } else {
            writeFile(entry.object(), file, entry.mode() == FileMode.EXECUTABLE_FILE);
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

    private void writeLink(ObjectId blob, Path link, Claim claim) throws IOException {
        // The application's folder may have been reached by it, and stand in its place.
        if (Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)) return;
        var written = TreePath.target(mirror, blob);
        var target = written.orElse("… (more than a path can have)");
        try {
            if (written.isPresent() && staysInside(link, target))
                Files.createSymbolicLink(link, Path.of(target));
            else if (claim == Claim.OWN) throw leaves(link, target);
            else log.warn("a link is left out: {}", leaves(link, target).message());
        } catch (InvalidPathException e) {
            throw unnameable(target, e);
        }
    }

    private boolean staysInside(Path link, String target) {
        var folder = link.toAbsolutePath().normalize().getParent();
        var place = folder == null ? inside : folder.resolve(target).normalize();
        // `..` behind a name could climb out through another link.
        return !target.startsWith("/") && !climbsInside(target) && place.startsWith(inside);
    }

    private Problem leaves(Path link, String target) {
        return new Problem(
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "%s: a link to \"%s\" (expected: a target inside the repository)"
                        .formatted(shown(link), Texts.visible(target)),
                "Replace the link by the file it stands for, or by a link inside the repository"
                        + " without `..` behind a name.");
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
