// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.event;

import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Draft;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Event;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/// Carries an event into a repository: one commit for each who waits for it, none when its value is
/// there already, so that nothing is lost or done twice whenever the agent dies.
final class Updates {
    private static final int LARGEST = 10 << 20;
    private static final int ATTEMPTS = 5;

    private final Repositories repositories;
    private final Draft.Author author;
    private final InstantSource clock;
    private final Consumer<RepositoryId> pushed;

    /// @param pushed told each repository whose branch has a new commit
    Updates(
            Repositories repositories,
            Draft.Author author,
            InstantSource clock,
            Consumer<RepositoryId> pushed) {
        this.repositories = repositories;
        this.author = author;
        this.clock = clock;
        this.pushed = pushed;
    }

    Outcome apply(Watch watch, Event event) {
        try {
            for (var attempt = 0; attempt < ATTEMPTS; attempt++) {
                var outcome = attempt(watch, event);
                if (outcome.isPresent()) return outcome.get();
            }
            return new Later(
                    "repository %s: others push all the time".formatted(watch.repository()));
        } catch (Problem problem) {
            return switch (problem.code().kind()) {
                case UNAVAILABLE -> new Later(problem.told());
                default -> new Failed("%s: %s".formatted(watch.origin(), problem.told()));
            };
        }
    }

    /// Nothing when somebody else was first.
    private Optional<Outcome> attempt(Watch watch, Event event) {
        var id = watch.repository();
        var head = repositories.fetch(id);
        var changed = changed(watch, event.getData(), head);
        if (changed.isEmpty())
            return Optional.of(new Done("repository %s: the value is there already".formatted(id)));
        var branch = watch.update().makePullRequest() ? branch(watch, event) : "";
        if (!branch.isEmpty() && repositories.branches(id).contains(branch))
            return Optional.of(new Done("repository %s: branch %s".formatted(id, branch)));
        var commit =
                repositories.commit(
                        id,
                        new Draft(
                                head.hash(),
                                changed,
                                CommitMessage.of(watch, event),
                                author,
                                clock.instant()));
        return switch (repositories.push(id, commit, branch)) {
            case Draft.Moved() -> Optional.empty();
            case Draft.Refused(var reason) ->
                    Optional.of(
                            new Failed(
                                    "repository %s: the push is refused: %s. Let %s push to it."
                                            .formatted(id, reason, author.name())));
            case Draft.Done() -> {
                if (branch.isEmpty()) pushed.accept(id);
                yield Optional.of(
                        new Done(
                                "repository %s: %s"
                                        .formatted(
                                                id,
                                                branch.isEmpty()
                                                        ? "commit " + commit.substring(0, 8)
                                                        : "branch " + branch)));
            }
        };
    }

    /// Files that become others, by path.
    private Map<String, byte[]> changed(Watch watch, String value, Commit head) {
        if (watch.update().replacements().isEmpty())
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "replacements: none (expected: at least one)",
                    "Say which value of which file is replaced.");
        // A folder may be reached by a link, and what is written is where it leads.
        var directory =
                repositories
                        .real(watch.repository(), head.hash(), watch.directory())
                        .orElse(watch.directory());
        var before = new LinkedHashMap<String, byte[]>();
        var after = new LinkedHashMap<String, byte[]>();
        for (var replacement : watch.update().replacements()) {
            var path = watch.path(directory, replacement.file());
            if (!after.containsKey(path)) {
                before.put(path, content(watch, path, head));
                after.put(path, before.get(path));
            }
            after.put(path, Replacing.apply(replacement, path, after.get(path), value));
        }
        after.entrySet()
                .removeIf(file -> Arrays.equals(file.getValue(), before.get(file.getKey())));
        return after;
    }

    private byte[] content(Watch watch, String path, Commit head) {
        return repositories
                .read(watch.repository(), head.hash(), path, LARGEST)
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.NOT_FOUND,
                                "%s: no such file in commit %s"
                                        .formatted(path, head.hash().substring(0, 8)),
                                "Add the file, or correct the path."));
    }

    /// The same each time, so that a branch pushed before a crash is found again.
    private static String branch(Watch watch, Event event) {
        var which = event.getId() + "\n" + watch.origin();
        var readable = event.getName().replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^-+", "");
        return "%s-%s"
                .formatted(
                        readable.isEmpty() ? "event" : readable,
                        UUID.nameUUIDFromBytes(which.getBytes(StandardCharsets.UTF_8)));
    }

    /// What came of an event in one place.
    sealed interface Outcome {
        String text();
    }

    record Done(String text) implements Outcome {}

    record Failed(String text) implements Outcome {}

    /// Nobody could be asked: it is tried again.
    record Later(String text) implements Outcome {}
}
