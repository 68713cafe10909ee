// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.RepositoryId;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.ObjectId;

/// What the trigger needs of the repositories it watches. A simulation puts its own in their place.
public interface History {
    /// Asks the remote and tells the head of the watched branch.
    Commit fetch(RepositoryId id);

    /// The head as last fetched.
    Optional<Commit> head(RepositoryId id);

    /// What differs between two commits in some folders or files.
    ChangedFiles changedFiles(RepositoryId id, String from, String to, List<String> folders);

    /// Hands over each path that differs, however many there are; false when the older commit is no
    /// longer to be had.
    boolean eachChanged(RepositoryId id, String from, String to, Consumer<String> path);

    /// The last commits, newest first, that `to` has and `from` has not; none when the older one is
    /// no longer to be had.
    List<Commit> since(RepositoryId id, String from, String to);

    /// What one commit, that came after `from`, differs in from the one before it, in some folders
    /// or files.
    List<String> changedBy(RepositoryId id, String from, String hash, List<String> folders);

    /// Each link that is followed on the way to where a path of a commit leads, then that; nothing
    /// where it leads nowhere.
    List<String> way(RepositoryId id, String hash, String path);

    /// Names what a file of a commit holds: the same name, the same content.
    Optional<ObjectId> content(RepositoryId id, String hash, String path);

    byte[] content(RepositoryId id, ObjectId content, String path, int maxBytes);

    /// The page that shows a commit; empty for a repository on a disk.
    String commitUrl(RepositoryId id, String hash);

    /// The mirror's own folder, for what is told by the mirror and goes with it.
    Path folder(RepositoryId id);

    /// How the last look at each repository went, in the order of the configuration.
    Map<RepositoryId, Health> health();
}
