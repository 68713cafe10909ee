// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.agent.source.tree.TreePath;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.treewalk.TreeWalk;

/// A commit to be made: files that are there already, with new content.
///
/// @param parent the commit it stands on
public record Draft(
        String parent, Map<String, byte[]> files, String message, Author author, Instant at) {
    public Draft {
        files = Map.copyOf(files);
    }

    /// The hash of the commit, which no branch knows yet.
    String write(GitObjects objects) throws IOException {
        var byPath = new HashMap<String, byte[]>();
        files.forEach(
                (path, content) -> byPath.put(String.join("/", TreePath.parts(path)), content));
        try (var inserter = objects.mirror().newObjectInserter()) {
            var commit = new CommitBuilder();
            commit.setTreeId(tree(objects, inserter, objects.treeOf(parent), "", byPath));
            commit.setParentId(ObjectId.fromString(parent));
            var by = new PersonIdent(author.name(), author.email(), at, ZoneOffset.UTC);
            commit.setAuthor(by);
            commit.setCommitter(by);
            commit.setMessage(message);
            var id = inserter.insert(commit);
            inserter.flush();
            return id.name();
        }
    }

    /// Only the folders above a changed file are written anew.
    private static ObjectId tree(
            GitObjects objects,
            ObjectInserter inserter,
            ObjectId before,
            String folder,
            Map<String, byte[]> files)
            throws IOException {
        var left = new TreeMap<>(files);
        var after = new TreeFormatter();
        try (var walk = new TreeWalk(objects.mirror())) {
            walk.addTree(before);
            while (walk.next()) {
                var path = folder + walk.getNameString();
                var inside = new TreeMap<>(left.subMap(path + "/", path + "0"));
                var content = left.remove(path);
                left.keySet().removeAll(inside.keySet());
                var mode = walk.getFileMode(0);
                var object = walk.getObjectId(0);
                if (content != null) object = file(inserter, path, mode, content);
                else if (!inside.isEmpty() && mode == FileMode.TREE)
                    object = tree(objects, inserter, object, path + "/", inside);
                else if (!inside.isEmpty()) throw noFile(inside.firstKey());
                after.append(walk.getRawPath(), 0, walk.getRawPath().length, mode, object);
            }
        }
        if (!left.isEmpty()) throw noFile(left.firstKey());
        return inserter.insert(after);
    }

    private static ObjectId file(
            ObjectInserter inserter, String path, FileMode mode, byte[] content)
            throws IOException {
        if (mode != FileMode.REGULAR_FILE && mode != FileMode.EXECUTABLE_FILE) throw noFile(path);
        return inserter.insert(Constants.OBJ_BLOB, content);
    }

    private static Problem noFile(String path) {
        return new Problem(
                Problem.Code.NOT_FOUND,
                "%s: no plain file (expected: a file of the repository, no link)"
                        .formatted(Texts.visible(path)),
                "Name the file itself.");
    }

    public record Author(String name, String email) {}

    /// What came of sending a commit to the remote.
    public sealed interface Push {}

    public record Done() implements Push {}

    /// Somebody else was first: fetch, and make the change anew.
    public record Moved() implements Push {}

    /// The server does not want it.
    public record Refused(String reason) implements Push {}
}
