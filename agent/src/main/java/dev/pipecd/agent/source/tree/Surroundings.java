// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which places of a commit an application is given: its folder and `.pipe`, what its file names,
/// and what files of these refer to. All of it is looked up by name, so it costs what it is, not
/// what the repository is.
public final class Surroundings {
    private static final Logger log = LoggerFactory.getLogger(Surroundings.class);
    private static final String SHARED = ".pipe";
    private static final int MOST_LINKS = 32;

    /// So many places may be looked for, those with a long path counted several times: each is
    /// remembered while the others are.
    private static final int MOST_ASKED = 100_000;

    private static final int USUAL_LENGTH = 100;

    /// What people read; links in it lead to other pages.
    private static final List<String> PROSE = List.of(".md", ".markdown", ".rst", ".adoc");

    private final TreePath commit;
    private final String directory;
    private final Extent extent;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private final Set<String> reach = new LinkedHashSet<>();
    private final Set<String> asked = new HashSet<>();
    private final ArrayDeque<Place> unread = new ArrayDeque<>();
    private Room room = Room.ALL;
    private int counted;

    private Surroundings(TreePath commit, String directory, Extent extent) {
        this.commit = commit;
        this.directory = directory;
        this.extent = extent;
    }

    /// @param path where it is written
    /// @param real where it is in the commit: not the same if a link leads there
    record Place(String path, TreePath.Entry entry, String real, Claim claim) {}

    public static Surroundings of(TreePath commit, List<String> directory, Extent extent)
            throws IOException {
        var found = new Surroundings(commit, String.join("/", directory), extent);
        found.own(found.directory);
        if (!directory.isEmpty()) found.own(SHARED);
        for (var path : extent.named()) found.named(path);
        for (var path : extent.watched()) found.watched(path);
        found.follow();
        return found;
    }

    List<Place> places() {
        return List.copyOf(places.values());
    }

    /// The folders and files outside of which nothing can change what is given; also those that
    /// were referred to and are not there.
    public List<String> reach() {
        return List.copyOf(reach);
    }

    private void own(String path) throws IOException {
        reach.add(path);
        var entry = commit.find(path);
        if (entry.isEmpty() || entry.get().mode() != FileMode.TREE) return;
        var real = commit.real(path).orElse(path);
        reach.add(real);
        give(new Place(path, entry.get(), real, Claim.OWN));
    }

    private void named(String written) throws IOException {
        var path = String.join("/", TreePath.parts(written));
        if (commit.find(path).isPresent() || commit.submodule(path).isPresent())
            take(path, true, Claim.NAMED, _ -> true);
        else if (!extent.lenient())
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "source.paths: \"%s\" (expected: a file or folder of the commit)"
                            .formatted(Texts.visible(written)),
                    "Correct the path, which is written from the repository's root, or add what it"
                            + " names.");
    }

    private void watched(String path) throws IOException {
        if (path.isEmpty() || holdsApplication(path) || List.of(path.split("/")).contains(".."))
            return;
        take(
                path,
                true,
                Claim.MENTIONED,
                place -> {
                    if (Room.ALL.less(commit, place.entry()).isPresent()) return true;
                    log.info(
                            "trigger.onCommit.paths: {} is not laid out for {}, it is more than {}."
                                    + " Name what is needed of it under source.paths.",
                            Texts.visible(path),
                            Texts.visible(directory),
                            Room.LIMIT);
                    return false;
                });
    }

    private void follow() throws IOException {
        try (var reader = commit.mirror().newObjectReader()) {
            while (!unread.isEmpty() && !places.containsKey("")) {
                var place = unread.removeFirst();
                if (place.entry().mode() == FileMode.TREE) folder(reader, place);
                else if (isFile(place.entry().mode()))
                    text(reader, place.path(), place.entry().object());
            }
        }
    }

    private void folder(ObjectReader reader, Place place) throws IOException {
        try (var walk = new TreeWalk(reader)) {
            walk.addTree(place.entry().object());
            walk.setRecursive(true);
            while (walk.next()) {
                var path = below(place.path(), walk.getPathString());
                var mode = walk.getFileMode(0);
                if (mode == FileMode.SYMLINK) link(path, walk.getObjectId(0));
                else if (isFile(mode)) text(reader, path, walk.getObjectId(0));
            }
        }
    }

    private void link(String path, ObjectId blob) throws IOException {
        var written = TreePath.target(commit.mirror(), blob);
        if (written.isEmpty() || written.get().startsWith("/")) return;
        var target = written.get();
        refer(References.from(parent(path), target), target, path, References.names(target));
    }

    private void text(ObjectReader reader, String path, ObjectId blob) throws IOException {
        var name = path.toLowerCase(Locale.ROOT);
        if (!extent.references() || PROSE.stream().anyMatch(name::endsWith)) return;
        for (var written : commit.trees().references().of(reader, blob)) {
            var named = References.names(written);
            refer(References.from(parent(path), written), written, path, named);
            // Programs are started in the application's folder, wherever their files are.
            refer(References.from(directory, written), written, path, named);
        }
    }

    private void refer(Optional<String> to, String written, String file, boolean whole)
            throws IOException {
        if (to.isEmpty() || isGiven(to.get()) || !isNew(whole + to.get(), file)) return;
        take(
                to.get(),
                whole,
                Claim.MENTIONED,
                place -> {
                    var left = room.less(commit, place.entry());
                    left.ifPresent(less -> room = less);
                    if (left.isEmpty() && !extent.lenient())
                        throw new Problem(
                                Problem.Code.CONFIG_TOO_LARGE,
                                "%s: refers to \"%s\" (expected: with all else that is referred to at most %s)"
                                        .formatted(
                                                Texts.visible(file),
                                                Texts.visible(written),
                                                Room.LIMIT),
                                "Name the folder under `source.paths` of the application's file if"
                                        + " it is needed, which has no limit; if not, set"
                                        + " `source.references: false` there.");
                    return left.isPresent();
                });
    }

    private boolean isNew(String question, String file) {
        if (asked.contains(question)) return false;
        if (counted >= MOST_ASKED) {
            if (extent.lenient()) return false;
            throw new Problem(
                    Problem.Code.CONFIG_TOO_LARGE,
                    "%s: refers to more places (expected: with all other files at most %d)"
                            .formatted(Texts.visible(file), MOST_ASKED),
                    "Name what is needed under `source.paths` of the application's file, and set"
                            + " `source.references: false` there.");
        }
        counted += 1 + question.length() / USUAL_LENGTH;
        return asked.add(question);
    }

    /// Gives what a path leads to, and the links on the way; `whole` says whether a folder is meant
    /// with all that is in it.
    private void take(String path, boolean whole, Claim claim, Welcome welcome) throws IOException {
        var at = path;
        for (var links = 0; links <= MOST_LINKS; links++) {
            if (isGiven(at)) return;
            var stop = stop(at);
            if (stop.entry().isEmpty()) {
                reach.add(stop.path());
                return;
            }
            var entry = stop.entry().get();
            var place = new Place(stop.path(), entry, stop.path(), claim);
            if (entry.mode() == FileMode.SYMLINK) {
                give(place);
                var target = TreePath.target(commit.mirror(), entry.object());
                if (target.isEmpty() || target.get().startsWith("/")) return;
                var next = References.from(parent(stop.path()), target.get() + stop.rest());
                if (next.isEmpty()) return;
                at = next.get();
            } else if (entry.mode() == FileMode.TREE && !(whole && isWhole(at))) {
                filesOf(at, entry.object(), claim, welcome);
                return;
            } else {
                var isIt = stop.rest().isEmpty() || entry.mode() == FileMode.GITLINK;
                if (isIt && welcome.to(place)) give(place);
                else reach.add(place.path());
                return;
            }
        }
    }

    /// A folder that the application itself is in would bring all others along.
    private boolean isWhole(String path) {
        return !holdsApplication(path) || extent.named().stream().anyMatch(n -> same(n, path));
    }

    private static boolean same(String written, String path) {
        return String.join("/", TreePath.parts(written)).equals(path);
    }

    private void filesOf(String folder, ObjectId tree, Claim claim, Welcome welcome)
            throws IOException {
        var names = new ArrayList<String>();
        try (var walk = new TreeWalk(commit.mirror())) {
            walk.addTree(tree);
            while (walk.next())
                if (isFile(walk.getFileMode(0)) || walk.getFileMode(0) == FileMode.SYMLINK)
                    names.add(walk.getNameString());
        }
        for (var name : names) take(below(folder, name), true, claim, welcome);
    }

    /// The first part of a path that is no folder, or all of it.
    private Stop stop(String path) throws IOException {
        var parts = TreePath.parts(path);
        for (var n = 1; n < parts.size(); n++) {
            var here = String.join("/", parts.subList(0, n));
            var entry = commit.plain(here);
            if (entry.isEmpty() || entry.get().mode() != FileMode.TREE)
                return new Stop(
                        here, entry, "/" + String.join("/", parts.subList(n, parts.size())));
        }
        return new Stop(path, commit.plain(path), "");
    }

    private record Stop(String path, Optional<TreePath.Entry> entry, String rest) {}

    /// Asked before a place is given that somebody refers to.
    @FunctionalInterface
    private interface Welcome {
        boolean to(Place place) throws IOException;
    }

    private void give(Place place) {
        reach.add(place.path());
        if (places.putIfAbsent(place.path(), place) == null) unread.add(place);
    }

    private boolean isGiven(String path) {
        if (places.containsKey("") || places.containsKey(path)) return true;
        for (var end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
            var above = places.get(path.substring(0, end));
            if (above != null && above.entry().isFolder()) return true;
        }
        return false;
    }

    private boolean holdsApplication(String path) {
        return path.isEmpty() || directory.startsWith(path + "/");
    }

    private static boolean isFile(FileMode mode) {
        return mode == FileMode.REGULAR_FILE || mode == FileMode.EXECUTABLE_FILE;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    private static String below(String folder, String name) {
        return folder.isEmpty() ? name : folder + "/" + name;
    }
}
