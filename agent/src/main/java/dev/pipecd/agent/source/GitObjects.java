// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import com.google.re2j.Pattern;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.agent.source.tree.TreePath;
import dev.pipecd.agent.source.tree.Trees;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.revwalk.filter.RevFilter;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/// Commits, trees and files of one mirror, read in process.
final class GitObjects {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private static final String NAMED = "refs/pipecd/";
    private static final int MOST_SINCE = 200;

    private final Repository mirror;
    private final Trees trees;

    GitObjects(Repository mirror, Trees trees) {
        this.mirror = mirror;
        this.trees = trees;
    }

    static boolean isHash(String text) {
        return HASH.matches(text);
    }

    Optional<Commit> headOf(String branch) throws IOException {
        var ref = mirror.exactRef(Constants.R_HEADS + branch);
        if (ref == null || ref.getObjectId() == null) return Optional.empty();
        try (var walk = new RevWalk(mirror)) {
            var commit = walk.parseCommit(ref.getObjectId());
            // A mirror that lost the tree of its head is found out here, not in mid deployment.
            mirror.open(commit.getTree(), Constants.OBJ_TREE);
            return Optional.of(describe(commit, branch));
        }
    }

    List<String> branches() throws IOException {
        return mirror.getRefDatabase().getRefsByPrefix(Constants.R_HEADS).stream()
                .map(ref -> ref.getName().substring(Constants.R_HEADS.length()))
                .toList();
    }

    /// All that were fetched by their names.
    List<String> named() throws IOException {
        return mirror.getRefDatabase().getRefsByPrefix(NAMED).stream()
                .map(ref -> ref.getName().substring(NAMED.length()))
                .toList();
    }

    boolean contains(String hash) throws IOException {
        return tree(hash).isPresent();
    }

    /// Whether it was fetched by its name. While a fetch goes on, the commit alone says nothing of
    /// its files; its name comes last.
    boolean keeps(String hash) throws IOException {
        return isHash(hash) && mirror.exactRef(NAMED + hash) != null && contains(hash);
    }

    Commit commit(String hash, String branch) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            return describe(parse(walk, hash).orElseThrow(() -> unknown(hash)), branch);
        }
    }

    /// The commit that merging `change` into `base` would make.
    String merged(String base, String change) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            var into = parse(walk, base).orElseThrow(() -> unknown(base));
            var changed = parse(walk, change).orElseThrow(() -> unknown(change));
            return new Merging(mirror).merge(into, changed);
        }
    }

    /// Whether both grew out of one commit, as far back as the mirror reaches.
    boolean related(String one, String other) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            walk.setRevFilter(RevFilter.MERGE_BASE);
            walk.markStart(parse(walk, one).orElseThrow(() -> unknown(one)));
            walk.markStart(parse(walk, other).orElseThrow(() -> unknown(other)));
            return walk.next() != null;
        }
    }

    ChangedFiles changed(String from, String to) throws IOException {
        return changed(from, to, List.of(""));
    }

    /// What differs in these folders; a folder that is equal on both sides is not looked into.
    ChangedFiles changed(String from, String to, List<String> folders) throws IOException {
        var paths = new TreeSet<String>();
        return changed(from, to, folders, paths::add)
                ? new ChangedFiles.Changed(List.copyOf(paths))
                : new ChangedFiles.HistoryRewritten();
    }

    /// Hands over each path that differs; false when the older commit is no longer to be had.
    boolean changed(String from, String to, List<String> folders, Consumer<String> each)
            throws IOException {
        var newer = new TreePath(mirror, trees, treeOf(to));
        var older = tree(from).map(root -> new TreePath(mirror, trees, root));
        if (older.isEmpty()) return false;
        for (var folder : folders)
            changed(older.get().plain(folder), newer.plain(folder), folder, each);
        return true;
    }

    /// What a commit that came after `from` differs in from the first one before it.
    List<String> changedBy(String from, String hash, List<String> folders) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            var commit = parse(walk, hash).orElseThrow(() -> unknown(hash));
            var newer = path(hash);
            var paths = new TreeSet<String>();
            for (var folder : folders)
                changed(before(commit, from, folder), newer.plain(folder), folder, paths::add);
            return List.copyOf(paths);
        }
    }

    /// Nothing of the first commit there is. What is before the first of a mirror that was not
    /// cloned whole is not here; `from` is nearest to it.
    private Optional<TreePath.Entry> before(RevCommit commit, String from, String folder)
            throws IOException {
        var cutOff = mirror.getObjectDatabase().getShallowCommits().contains(commit);
        if (commit.getParentCount() == 0 && !cutOff) return Optional.empty();
        var root = tree(cutOff ? from : commit.getParent(0).name());
        return root.isEmpty()
                ? Optional.empty()
                : new TreePath(mirror, trees, root.get()).plain(folder);
    }

    /// The last commits that `to` has and `from` has not, newest first.
    List<Commit> since(String from, String to, String branch) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            var older = parse(walk, from);
            if (older.isEmpty()) return List.of();
            walk.markStart(parse(walk, to).orElseThrow(() -> unknown(to)));
            walk.markUninteresting(older.get());
            var found = new ArrayList<Commit>();
            for (var commit = walk.next();
                    commit != null && found.size() < MOST_SINCE;
                    commit = walk.next()) found.add(describe(commit, branch));
            return found;
        }
    }

    private void changed(
            Optional<TreePath.Entry> older,
            Optional<TreePath.Entry> newer,
            String folder,
            Consumer<String> each)
            throws IOException {
        if (older.equals(newer)) return;
        if (isFile(older) || isFile(newer)) each.accept(folder);
        try (var walk = new TreeWalk(mirror)) {
            add(walk, older);
            add(walk, newer);
            walk.setRecursive(true);
            walk.setFilter(TreeFilter.ANY_DIFF); // equal subtrees are never entered
            var before = folder.isEmpty() ? "" : folder + "/";
            while (walk.next()) each.accept(before + walk.getPathString());
        }
    }

    private static boolean isFile(Optional<TreePath.Entry> entry) {
        return entry.isPresent() && entry.get().mode() != FileMode.TREE;
    }

    private static void add(TreeWalk walk, Optional<TreePath.Entry> folder) throws IOException {
        if (folder.isPresent() && folder.get().mode() == FileMode.TREE)
            walk.addTree(folder.get().object());
        else walk.addTree(new EmptyTreeIterator());
    }

    Optional<byte[]> read(String hash, String path, int maxBytes) throws IOException {
        var blob = blob(hash, path);
        return blob.isEmpty() ? Optional.empty() : Optional.of(content(blob.get(), path, maxBytes));
    }

    /// Names the content of a file: the same wherever and whenever it is the same.
    Optional<ObjectId> blob(String hash, String path) throws IOException {
        var in = path(hash);
        var found = in.find(path);
        if (found.isEmpty()) requireOurs(in.submodule(path), path);
        return found.filter(entry -> !entry.isFolder()).map(TreePath.Entry::object);
    }

    /// "No such file" would send people looking for what they see with their own eyes.
    private static void requireOurs(Optional<String> submodule, String path) {
        if (submodule.isPresent())
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s: in the submodule \"%s\" (expected: a file of the repository itself)"
                            .formatted(Texts.visible(path), Texts.visible(submodule.get())),
                    "Move the file out of the submodule, or register the application with the"
                            + " submodule's own repository.");
    }

    byte[] content(ObjectId blob, String path, int maxBytes) throws IOException {
        try (var reader = mirror.newObjectReader()) {
            // Asked before it is opened: opening a blob brings it into memory whole.
            var size = reader.getObjectSize(blob, Constants.OBJ_BLOB);
            if (size > maxBytes)
                throw new Problem(
                        Problem.Code.CONFIG_TOO_LARGE,
                        "%s: %d bytes (expected: at most %d)"
                                .formatted(Texts.visible(path), size, maxBytes),
                        "Make the file smaller; large data belongs beside it, not into it.");
            return reader.open(blob, Constants.OBJ_BLOB).getBytes();
        }
    }

    TreePath path(String hash) throws IOException {
        return new TreePath(mirror, trees, treeOf(hash));
    }

    /// Names of the plain files right inside a folder of a commit; nothing if there is none.
    List<String> files(String hash, String folder) throws IOException {
        var entry = path(hash).find(folder);
        if (entry.isEmpty() || entry.get().mode() != FileMode.TREE) return List.of();
        var names = new ArrayList<String>();
        try (var walk = new TreeWalk(mirror)) {
            walk.addTree(entry.get().object());
            while (walk.next())
                if ((walk.getRawMode(0) & FileMode.TYPE_MASK) == FileMode.TYPE_FILE)
                    names.add(walk.getNameString());
        }
        return names;
    }

    /// Paths of application configuration files at `to`, found by what changed since `known`.
    TreeSet<String> applicationConfigs(Known known, String to) throws IOException {
        var found = new TreeSet<>(known.paths());
        var newer = tree(to).orElseThrow(() -> unknown(to));
        try (var walk = new TreeWalk(mirror)) {
            var older = known.hash().isEmpty() ? Optional.<ObjectId>empty() : tree(known.hash());
            if (older.isPresent()) {
                walk.addTree(older.get());
            } else {
                found.clear();
                walk.addTree(new EmptyTreeIterator());
            }
            walk.addTree(newer);
            walk.setRecursive(true);
            walk.setFilter(TreeFilter.ANY_DIFF);
            while (walk.next()) {
                if (!isApplicationConfig(walk.getNameString())) continue;
                if (walk.getRawMode(1) == 0) found.remove(walk.getPathString());
                else found.add(walk.getPathString());
            }
        }
        return found;
    }

    ObjectId treeOf(String hash) throws IOException {
        return tree(hash).orElseThrow(() -> unknown(hash));
    }

    Repository mirror() {
        return mirror;
    }

    private static boolean isApplicationConfig(String name) {
        return name.endsWith(".pipecd.yaml") || name.equals(".pipe.yaml");
    }

    private Optional<ObjectId> tree(String hash) throws IOException {
        var known = trees.root(hash);
        if (known.isPresent()) return known;
        try (var walk = new RevWalk(mirror)) {
            var tree = parse(walk, hash).map(commit -> commit.getTree().copy());
            tree.ifPresent(root -> trees.keepRoot(hash, root));
            return tree;
        }
    }

    private static Optional<RevCommit> parse(RevWalk walk, String hash) throws IOException {
        if (!isHash(hash)) return Optional.empty();
        try {
            return Optional.of(walk.parseCommit(ObjectId.fromString(hash)));
        } catch (MissingObjectException | IncorrectObjectTypeException e) {
            return Optional.empty();
        }
    }

    private static Commit describe(RevCommit commit, String branch) {
        var author = commit.getAuthorIdent();
        var message = commit.getFullMessage().replace("\r\n", "\n").stripLeading();
        var end = message.indexOf("\n\n");
        return new Commit(
                commit.name(),
                (end < 0 ? message : message.substring(0, end)).replace('\n', ' '),
                end < 0 ? "" : message.substring(end),
                author == null ? "" : author.getName(),
                author == null
                        ? Instant.ofEpochSecond(commit.getCommitTime())
                        : author.getWhenAsInstant(),
                branch);
    }

    private static Problem unknown(String hash) {
        return new Problem(
                Problem.Code.NOT_FOUND,
                "commit: \"%s\" (expected: a commit of the repository)"
                        .formatted(Texts.visible(hash)),
                "Fetch the repository, or deploy a commit that its branch still has.");
    }

    /// Application configuration files as found at an earlier commit; an empty hash knows none.
    record Known(String hash, List<String> paths) {
        static final Known NOTHING = new Known("", List.of());
    }
}
