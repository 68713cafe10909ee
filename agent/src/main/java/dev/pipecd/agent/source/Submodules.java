// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.agent.source.Copy.Reading;
import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.module.Gitlink;
import dev.pipecd.agent.source.module.Modules;
import dev.pipecd.agent.source.tree.Leniency;
import dev.pipecd.agent.source.tree.Room;
import dev.pipecd.agent.source.tree.Texts;
import dev.pipecd.agent.source.tree.TreeExport;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Fills the folders of an export that are commits of other repositories. Only an export that has
/// such a folder costs anything: its repositories are mirrored beside ours, one an address.
final class Submodules implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Submodules.class);
    private static final int LARGEST = 1 << 20;
    private static final int DEEPEST = 8;

    /// After how long a server that did not answer is asked again by whoever needs it, and by
    /// whoever only compares.
    private static final Duration FOR_NEED = Duration.ofMinutes(1);

    private static final Duration FOR_COMPARING = Duration.ofMinutes(5);
    private static final String UNNEEDED =
            " If nothing needs it, set `source.references: false` in the application's file.";
    private static final String CORRECT = "Correct " + Modules.FILE + ".";

    private final Path home;
    private final GitBinary git;
    private final InstantSource clock;
    private final Map<String, Mirror> mirrors = new ConcurrentHashMap<>();

    /// `home` belongs to this agent alone; what an earlier life left there half made is removed.
    Submodules(Path home, GitBinary git, InstantSource clock) throws IOException {
        this.home = home;
        this.git = git;
        this.clock = clock;
        if (Files.isDirectory(home)) Folder.deleteHalfMade(home);
    }

    /// Writes what the links of `commit` stand for, and what stands in that; a `Problem` names the
    /// submodule that cannot be had.
    ///
    /// @param leniency which of them are left out, even if they were needed
    void fill(Mirror repository, String commit, List<Gitlink> links, Path root, Leniency leniency) {
        new Filling(repository, root, leniency).fill(new Parent(repository, commit, "", 0), links);
    }

    /// One export that is filled.
    private final class Filling {
        private final Mirror top;
        private final Path root;
        private final Leniency leniency;

        /// For submodules that are only mentioned.
        private Room room = Room.ALL;

        private Filling(Mirror top, Path root, Leniency leniency) {
            this.top = top;
            this.root = root;
            this.leniency = leniency;
        }

        private void fill(Parent parent, List<Gitlink> links) {
            if (links.isEmpty()) return;
            var named = modules(parent, links);
            for (var link : links) {
                var address = named.address(link.path(), parent.mirror().repository().remote());
                if (address.isEmpty()) continue;
                try {
                    fill(parent, link, address.get());
                } catch (Problem e) {
                    if (!mayLack(link, e)) throw e;
                    leaveOut(parent, link, e);
                }
            }
        }

        /// A list that cannot be read names nothing, unless something of it is needed.
        private Modules modules(Parent parent, List<Gitlink> links) {
            try {
                return named(parent);
            } catch (Problem e) {
                if (!links.stream().allMatch(link -> mayLack(link, e))) throw e;
                log.warn("submodules are left out: {}", e.told());
                return Modules.NONE;
            }
        }

        private void fill(Parent parent, Gitlink link, String address) {
            var place = parent.below() + link.path();
            try {
                if (parent.depth() == DEEPEST)
                    throw new Problem(
                            Problem.Code.CONFIG_INVALID,
                            "in %d others (expected: at most %d)".formatted(DEEPEST, DEEPEST - 1),
                            CORRECT);
                var module = mirror(new Remote(top.repository().remote()), address);
                var again = leniency == Leniency.UNREACHABLE ? FOR_COMPARING : FOR_NEED;
                var links =
                        module.read(link.commit(), again, objects -> write(objects, link))
                                .orElseThrow(() -> gone(link, module));
                fill(new Parent(module, link.commit(), place + "/", parent.depth() + 1), links);
            } catch (Problem e) {
                throw e.message().startsWith("submodule ") ? e : named(e, place, link, top);
            }
        }

        /// Answers the folders in it that were left empty.
        private List<Gitlink> write(GitObjects objects, Gitlink link) throws IOException {
            var commit = objects.path(link.commit());
            var left = link.needed() ? room : room.less(commit).orElseThrow(Submodules::tooLarge);
            Folder.empty(link.folder());
            var export = new TreeExport(objects.mirror(), root);
            export.write(commit, link.folder(), link.needed());
            room = left;
            return export.links();
        }

        /// A mention may be nothing but a word. What is only away for a while is waited for all the
        /// same: it may be what is deployed.
        private boolean mayLack(Gitlink link, Problem problem) {
            if (!Health.passes(problem)) return leniency != Leniency.NONE || !link.needed();
            // Our own disk, what was damaged on it, and whoever is called off, say nothing about
            // the submodule.
            if (!Health.isAway(problem) || Thread.currentThread().isInterrupted()) return false;
            return switch (leniency) {
                case NONE -> false;
                // Of what was deployed already nobody can take back a mention.
                case LOST -> !link.needed();
                case UNREACHABLE -> true;
            };
        }

        private void leaveOut(Parent parent, Gitlink link, Problem why) {
            log.warn(
                    "a submodule is left out of commit {}: {}",
                    parent.commit().substring(0, 8),
                    why.told());
            try {
                Folder.delete(link.folder());
                Files.createDirectory(link.folder());
            } catch (IOException e) {
                throw top.unusable(e);
            }
        }
    }

    private static Problem named(Problem e, String place, Gitlink link, Mirror top) {
        return new Problem(
                e.code(),
                "submodule \"%s\" of repository %s: %s"
                        .formatted(Texts.visible(place), top.repository().id(), e.message()),
                link.needed() ? e.advice() : e.advice() + UNNEEDED,
                e);
    }

    private static Problem tooLarge() {
        return new Problem(
                Problem.Code.CONFIG_TOO_LARGE,
                "only referred to (expected: with all other submodules that are, at most %s)"
                        .formatted(Room.LIMIT),
                "Name its folder under `source.paths` of the application's file if it is needed,"
                        + " which has no limit.");
    }

    private static Problem gone(Gitlink link, Mirror module) {
        return new Problem(
                Problem.Code.NOT_FOUND,
                "commit %s: not at %s (expected: a commit of one of its branches or tags)"
                        .formatted(
                                link.commit(), new Remote(module.repository().remote()).masked()),
                "Push that commit to the submodule's repository, or let the repository name another"
                        + " one.");
    }

    private static Modules named(Parent parent) {
        var content = parent.read(objects -> objects.read(parent.commit(), Modules.FILE, LARGEST));
        try {
            return Modules.read(content.orElse(new byte[0]));
        } catch (ConfigInvalidException e) {
            throw new Problem(
                    Problem.Code.CONFIG_INVALID,
                    "%s%s: %s (expected: a file that git can read)"
                            .formatted(
                                    Texts.visible(parent.below()),
                                    Modules.FILE,
                                    Texts.visible(String.valueOf(e.getMessage()))),
                    CORRECT,
                    e);
        }
    }

    /// Whoever may write `.gitmodules` must not learn our password by it, nor what lies on the
    /// agent's disk.
    private Mirror mirror(Remote top, String address) {
        if (address.startsWith("../") || address.startsWith("./"))
            throw refused(
                    "url: \"%s\" (expected: fewer `..` than the repository's address has folders)"
                            .formatted(Texts.visible(address)));
        var remote = checked(address);
        if (remote.isLocal() && !top.isLocal())
            throw refused(remote, "an address that is not on the agent's own disk");
        var known = remote.origin().equals(top.origin());
        var asked = known ? remote.signedInAs(top) : remote;
        var name = Repositories.digest(known + asked.address()).substring(0, 24) + ".git";
        return mirrors.computeIfAbsent(
                name,
                _ ->
                        new Mirror(
                                home.resolve(name),
                                new Repository(
                                        new RepositoryId(asked.masked()), asked.address(), ""),
                                known ? git : git.toStrangers(),
                                clock,
                                "its repository"));
    }

    private static Remote checked(String address) {
        try {
            return new Remote(address);
        } catch (Problem e) {
            throw refused(e.message());
        }
    }

    private static Problem refused(Remote remote, String expected) {
        return refused(
                "url: \"%s\" (expected: %s)".formatted(Texts.visible(remote.masked()), expected));
    }

    private static Problem refused(String message) {
        return new Problem(Problem.Code.CONFIG_INVALID, message, CORRECT);
    }

    @Override
    public void close() {
        mirrors.values().forEach(Mirror::close);
    }

    /// A commit that has submodules, itself perhaps in one; `below` is its folder in the export.
    private record Parent(Mirror mirror, String commit, String below, int depth) {
        <T> Optional<T> read(Reading<Optional<T>> reading) {
            return depth == 0
                    ? mirror.read(commit, reading)
                    : mirror.read(commit, FOR_NEED, reading).flatMap(read -> read);
        }
    }
}
