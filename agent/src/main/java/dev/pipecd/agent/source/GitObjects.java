// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import com.google.re2j.Pattern;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.eclipse.jgit.errors.IncorrectObjectTypeException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/// Commits, trees and files of one mirror, read in process.
final class GitObjects {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private final Repository mirror;

    GitObjects(Repository mirror) {
        this.mirror = mirror;
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

    boolean contains(String hash) throws IOException {
        return tree(hash).isPresent();
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

    ChangedFiles changed(String from, String to) throws IOException {
        var newer = tree(to).orElseThrow(() -> unknown(to));
        var older = tree(from);
        if (older.isEmpty()) return new ChangedFiles.HistoryRewritten();
        var paths = new ArrayList<String>();
        try (var walk = new TreeWalk(mirror)) {
            walk.addTree(older.get());
            walk.addTree(newer);
            walk.setRecursive(true);
            walk.setFilter(TreeFilter.ANY_DIFF); // equal subtrees are never entered
            while (walk.next()) paths.add(walk.getPathString());
        }
        return new ChangedFiles.Changed(paths);
    }

    Optional<byte[]> read(String hash, String path, int maxBytes) throws IOException {
        var root = tree(hash).orElseThrow(() -> unknown(hash));
        var entry = new TreePath(mirror, root).find(path);
        if (entry.isEmpty() || entry.get().isFolder()) return Optional.empty();
        try (var reader = mirror.newObjectReader()) {
            var blob = entry.get().object();
            // Asked before it is opened: opening a blob brings it into memory whole.
            var size = reader.getObjectSize(blob, Constants.OBJ_BLOB);
            if (size > maxBytes)
                throw new Problem(
                        Problem.Code.CONFIG_TOO_LARGE,
                        "%s: %d bytes (expected: at most %d)"
                                .formatted(Texts.visible(path), size, maxBytes),
                        "Make the file smaller; large data belongs beside it, not into it.");
            return Optional.of(reader.open(blob, Constants.OBJ_BLOB).getBytes());
        }
    }

    /// Paths of application configuration files at `to`, found by what changed since `known`.
    TreeSet<String> applicationConfigs(Known known, String to) throws IOException {
        var found = new TreeSet<>(known.paths());
        var newer = tree(to).orElseThrow(() -> unknown(to));
        try (var walk = new TreeWalk(mirror)) {
            var older = known.hash().isEmpty() ? Optional.<RevTree>empty() : tree(known.hash());
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

    RevTree treeOf(String hash) throws IOException {
        return tree(hash).orElseThrow(() -> unknown(hash));
    }

    Repository mirror() {
        return mirror;
    }

    private static boolean isApplicationConfig(String name) {
        return name.endsWith(".pipecd.yaml") || name.equals(".pipe.yaml");
    }

    private Optional<RevTree> tree(String hash) throws IOException {
        try (var walk = new RevWalk(mirror)) {
            return parse(walk, hash).map(RevCommit::getTree);
        }
    }

    private static Optional<RevCommit> parse(RevWalk walk, String hash) throws IOException {
        if (!HASH.matches(hash)) return Optional.empty();
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
