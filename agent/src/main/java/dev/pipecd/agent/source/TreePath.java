// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.treewalk.TreeWalk;

/// Paths inside a commit: links are followed as long as they stay inside it.
record TreePath(Repository mirror, RevTree root) {
    private static final int MOST_LINKS = 32;
    private static final int LONGEST_LINK = 4096;

    /// A file or folder of the commit.
    record Entry(FileMode mode, ObjectId object) {
        boolean isFolder() {
            return mode == FileMode.TREE || mode == FileMode.GITLINK;
        }
    }

    /// The parts of a path that people wrote, `.` left out; what could leave the repository is
    /// refused.
    static List<String> parts(String path) {
        if (path.startsWith("/") || path.indexOf('\0') >= 0) throw leaves(path);
        var parts = Arrays.stream(path.split("/", -1)).filter(TreePath::counts).toList();
        if (parts.contains("..")) throw leaves(path);
        return parts;
    }

    Optional<Entry> find(String path) throws IOException {
        var left = new ArrayDeque<>(parts(path));
        var done = new ArrayList<String>();
        var links = 0;
        while (!left.isEmpty()) {
            var part = left.removeFirst();
            if (part.equals("..")) {
                if (done.isEmpty()) throw leaves(path);
                done.removeLast();
                continue;
            }
            done.add(part);
            var found = at(String.join("/", done));
            if (found.isEmpty()) return Optional.empty();
            var entry = found.get();
            if (entry.mode() == FileMode.SYMLINK) {
                if (++links > MOST_LINKS) return Optional.empty();
                done.removeLast();
                var target = target(mirror, entry.object());
                if (target.startsWith("/")) throw leaves(path);
                var parts = target.split("/", -1);
                for (var i = parts.length - 1; i >= 0; i--)
                    if (counts(parts[i])) left.addFirst(parts[i]);
            }
        }
        return at(String.join("/", done));
    }

    static String target(Repository mirror, ObjectId link) throws IOException {
        var bytes = mirror.open(link, Constants.OBJ_BLOB).getCachedBytes(LONGEST_LINK);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static Problem leaves(String path) {
        return new Problem(
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "path: \"%s\" (expected: a path inside the repository)"
                        .formatted(Texts.visible(path)),
                "Use a path relative to the repository's root, without `..`, and links that stay"
                        + " inside.");
    }

    private Optional<Entry> at(String path) throws IOException {
        if (path.isEmpty()) return Optional.of(new Entry(FileMode.TREE, root));
        try (var walk = TreeWalk.forPath(mirror, path, root)) {
            if (walk == null) return Optional.empty();
            return Optional.of(new Entry(walk.getFileMode(0), walk.getObjectId(0)));
        }
    }

    private static boolean counts(String part) {
        return !part.isEmpty() && !part.equals(".");
    }
}
