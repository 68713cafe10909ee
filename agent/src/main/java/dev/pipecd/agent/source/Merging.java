// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.merge.MergeStrategy;
import org.eclipse.jgit.merge.ResolveMerger;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;

/// Merges two commits in the mirror alone, on no branch: the commit that a merge would make, with
/// the words of the change. Made of nothing but the two, it is the same each time.
record Merging(Repository mirror) {
    private static final int SHOWN = 5;

    String merge(ObjectId base, ObjectId change) throws IOException {
        try (var walk = new RevWalk(mirror);
                var inserter = mirror.newObjectInserter()) {
            var into = walk.parseCommit(base);
            var changed = walk.parseCommit(change);
            if (walk.isMergedInto(into, changed)) return changed.name();
            var merger = MergeStrategy.RECURSIVE.newMerger(mirror, true);
            merger.setObjectInserter(inserter);
            if (!merger.merge(into, changed)) throw conflict(merger, into, changed);
            var merged = new CommitBuilder();
            merged.setTreeId(merger.getResultTreeId());
            merged.setParentIds(into, changed);
            merged.setAuthor(changed.getAuthorIdent());
            merged.setCommitter(changed.getCommitterIdent());
            merged.setMessage(changed.getFullMessage());
            var made = inserter.insert(merged);
            inserter.flush();
            return made.name();
        }
    }

    private static Problem conflict(
            org.eclipse.jgit.merge.Merger merger, RevCommit base, RevCommit change) {
        var paths =
                merger instanceof ResolveMerger resolving
                        ? resolving.getUnmergedPaths()
                        : List.<String>of();
        return new Problem(
                Problem.Code.PRECONDITION_FAILED,
                "merge: %s into %s has conflicts in %s%s (expected: a change that merges)"
                        .formatted(
                                change.name().substring(0, 8),
                                base.name().substring(0, 8),
                                paths.stream()
                                        .limit(SHOWN)
                                        .map(Texts::visible)
                                        .collect(Collectors.joining(", ")),
                                paths.size() > SHOWN ? ", …" : ""),
                "Merge or rebase the base branch into the change and push it.");
    }
}
