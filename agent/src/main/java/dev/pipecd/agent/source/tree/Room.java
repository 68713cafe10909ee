// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source.tree;

import java.io.IOException;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.treewalk.TreeWalk;

/// How much more an application may be given of what is only referred to: a mention of a large
/// folder must not copy a repository for each stage.
public record Room(int files, long bytes) {
    public static final Room ALL = new Room(10_000, 256L << 20);
    public static final String LIMIT = "10000 files and 256 MB";

    /// What is left after all of a commit.
    public Optional<Room> less(TreePath commit) throws IOException {
        return less(commit, new TreePath.Entry(FileMode.TREE, commit.root()));
    }

    /// What is left after this; nothing if it is too much. It is counted no further than that.
    Optional<Room> less(TreePath commit, TreePath.Entry entry) throws IOException {
        try (var reader = commit.mirror().newObjectReader()) {
            if (entry.mode() == FileMode.GITLINK) return less(0);
            if (entry.mode() != FileMode.TREE)
                return less(reader.getObjectSize(entry.object(), Constants.OBJ_BLOB));
            return less(reader, entry);
        }
    }

    private Optional<Room> less(ObjectReader reader, TreePath.Entry folder) throws IOException {
        var left = Optional.of(this);
        try (var walk = new TreeWalk(reader)) {
            walk.addTree(folder.object());
            walk.setRecursive(true);
            while (left.isPresent() && walk.next())
                left =
                        left.get()
                                .less(
                                        walk.getFileMode(0) == FileMode.GITLINK
                                                ? 0
                                                : reader.getObjectSize(
                                                        walk.getObjectId(0), Constants.OBJ_BLOB));
        }
        return left;
    }

    private Optional<Room> less(long size) {
        return files < 1 || bytes < size
                ? Optional.empty()
                : Optional.of(new Room(files - 1, bytes - size));
    }
}
