// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;

/// Paths inside a commit: links are followed as long as they stay inside it.
public record TreePath(Repository mirror, Trees trees, ObjectId root) {
    private static final int MOST_LINKS = 32;

    /// With the zero at its end as much as a path of Linux can have.
    private static final int LONGEST_LINK = 4095;

    /// A file or folder of the commit.
    public record Entry(FileMode mode, ObjectId object) {
        public boolean isFolder() {
            return mode == FileMode.TREE || mode == FileMode.GITLINK;
        }
    }

    /// The parts of a path that people wrote, `.` left out; what could leave the repository is
    /// refused.
    public static List<String> parts(String path) {
        if (path.startsWith("/") || path.indexOf('\0') >= 0) throw leaves(path);
        var parts = Arrays.stream(path.split("/", -1)).filter(TreePath::counts).toList();
        if (parts.contains("..")) throw leaves(path);
        return parts;
    }

    public Optional<Entry> find(String path) throws IOException {
        return resolve(path).map(Found::entry);
    }

    /// Where a path leads when links are followed; the same path where there are none.
    public Optional<String> real(String path) throws IOException {
        return resolve(path).map(found -> String.join("/", found.names()));
    }

    /// Each link that is followed on the way, then where the path leads: itself alone where there
    /// are none, and nothing where it leads nowhere.
    public List<String> way(String path) throws IOException {
        return resolve(path)
                .map(found ->
                        Stream.concat(
                                        found.links().stream(),
                                        Stream.of(String.join("/", found.names())))
                                .toList())
                .orElse(List.of());
    }

    /// The submodule that a path leads into; what is inside is no part of the commit.
    public Optional<String> submodule(String path) throws IOException {
        var parts = parts(path);
        for (var n = 1; n < parts.size(); n++) {
            var passed = String.join("/", parts.subList(0, n));
            if (find(passed).filter(entry -> entry.mode() == FileMode.GITLINK).isPresent())
                return Optional.of(passed);
        }
        return Optional.empty();
    }

    /// What stands at the path itself, a link as a link.
    public Optional<Entry> plain(String path) throws IOException {
        var here = Optional.of(new Entry(FileMode.TREE, root));
        try (var reader = mirror.newObjectReader()) {
            for (var part : parts(path)) {
                if (here.isEmpty() || here.get().mode() != FileMode.TREE) return Optional.empty();
                here = trees.find(reader, here.get().object(), part);
            }
        }
        return here;
    }

    private Optional<Found> resolve(String path) throws IOException {
        var left = new ArrayDeque<>(parts(path));
        var names = new ArrayList<String>();
        var passed = new ArrayList<>(List.of(new Entry(FileMode.TREE, root)));
        var links = new ArrayList<String>();
        try (var reader = mirror.newObjectReader()) {
            while (!left.isEmpty()) {
                var part = left.removeFirst();
                if (part.equals("..")) {
                    if (names.isEmpty()) throw leaves(path);
                    names.removeLast();
                    passed.removeLast();
                    continue;
                }
                if (passed.getLast().mode() != FileMode.TREE) return Optional.empty();
                var found = trees.find(reader, passed.getLast().object(), part);
                if (found.isEmpty()) return Optional.empty();
                if (found.get().mode() == FileMode.SYMLINK) {
                    if (links.size() == MOST_LINKS) return Optional.empty();
                    names.add(part);
                    links.add(String.join("/", names));
                    names.removeLast();
                    var target = target(mirror, found.get().object());
                    follow(path, target.orElseThrow(() -> leaves(path)), left);
                } else {
                    names.add(part);
                    passed.add(found.get());
                }
            }
        }
        return Optional.of(new Found(names, links, passed.getLast()));
    }

    private static void follow(String path, String target, ArrayDeque<String> left) {
        if (target.startsWith("/")) throw leaves(path);
        var parts = target.split("/", -1);
        for (var i = parts.length - 1; i >= 0; i--) if (counts(parts[i])) left.addFirst(parts[i]);
    }

    private record Found(List<String> names, List<String> links, Entry entry) {}

    /// Nothing of a link that is longer than any path: it leads nowhere.
    static Optional<String> target(Repository mirror, ObjectId link) throws IOException {
        try (var reader = mirror.newObjectReader()) {
            // Asked before it is opened: opening one of 50 MB brings it into memory whole.
            if (reader.getObjectSize(link, Constants.OBJ_BLOB) > LONGEST_LINK)
                return Optional.empty();
            var bytes = reader.open(link, Constants.OBJ_BLOB).getCachedBytes(LONGEST_LINK);
            return Optional.of(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    static Problem leaves(String path) {
        return new Problem(
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "path: \"%s\" (expected: a path inside the repository)"
                        .formatted(Texts.visible(path)),
                "Use a path relative to the repository's root, without `..`, and links that stay"
                        + " inside.");
    }

    private static boolean counts(String part) {
        return !part.isEmpty() && !part.equals(".");
    }
}
