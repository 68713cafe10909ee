// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.History;
import dev.pipecd.config.ApplicationConfig.OnCommit;
import dev.pipecd.config.launch.Version;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/// Tells for each new head of a repository which applications need a look. A quiet repository needs
/// none, and a commit those it may concern, however many others there are.
///
/// At the end of a look every application has been compared with that head. So whatever the next
/// head changes for one of them differs between the two heads, and is found there.
public final class Index {
    /// Of the file; what an agent of another version settled is settled again.
    private static final String VERSION = "2 " + Version.text();

    private final History repositories;
    private final Applications applications;
    private final Map<RepositoryId, Watched> watched = new ConcurrentHashMap<>();

    public Index(History repositories, Applications applications) {
        this.repositories = repositories;
        this.applications = applications;
    }

    /// Begins a look, before the fetch: an application that is registered meanwhile may be newer
    /// than the head that comes back. One look at a repository at a time.
    public Look look(RepositoryId repository) {
        var state = watched.computeIfAbsent(repository, this::remembered);
        // Others may ask meanwhile whom a change may concern.
        synchronized (state) {
            state.due.addAll(applications.takeChanged(repository));
            state.pass(this::isAsBefore);
        }
        return new Look(repository, state);
    }

    /// Those of `all` that a commit which is no head may concern, when it is compared with one. Who
    /// has not been looked at as he is now may be among them too.
    public List<Application> mayConcern(
            RepositoryId repository, String commit, List<Application> all) {
        var state = watched.get(repository);
        return state == null ? all : mayConcern(repository, state, commit, all);
    }

    private List<Application> mayConcern(
            RepositoryId repository, Watched state, String commit, List<Application> all) {
        var from = state.head;
        if (from.isEmpty()) return all;
        var changed = new ArrayList<String>();
        // Against the head that was looked at: what is known of an application is known from there.
        if (!repositories.eachChanged(repository, from, commit, changed::add)) return all;
        synchronized (state) {
            // Another head was looked at meanwhile, from which more may differ.
            if (!state.head.equals(from)) return all;
            var found = new HashSet<>(state.due);
            changed.forEach(path -> state.paths.concerned(path, found));
            return all.stream().filter(a -> !state.knows(a) || found.contains(id(a))).toList();
        }
    }

    private static ApplicationId id(Application application) {
        return new ApplicationId(application.getId());
    }

    private Watched remembered(RepositoryId repository) {
        var state = new Watched(file(repository));
        state.file.read(state.before::put).ifPresent(head -> state.head = head);
        return state;
    }

    /// Beside the mirror it tells of: with the mirror it goes.
    private IndexFile file(RepositoryId repository) {
        return new IndexFile(repositories.folder(repository).resolve("pipecd-index"), VERSION);
    }

    /// Whether an earlier life of the agent has compared the application as it is now.
    private boolean isAsBefore(ApplicationId id, PathIndex.Reach reach) {
        return applications
                .find(id)
                .filter(a -> ApplicationFiles.path(a.getGitPath()).equals(reach.file()))
                .filter(a -> deployed(a).equals(reach.deployed()))
                .isPresent();
    }

    private static String deployed(Application application) {
        return application.getMostRecentlyTriggeredDeployment().getTrigger().getCommit().getHash();
    }

    /// What is known of one repository between looks.
    private static final class Watched {
        private final PathIndex paths = new PathIndex();
        private final Set<ApplicationId> due = new LinkedHashSet<>();

        /// What an earlier life of the agent knew, of applications nobody has told of yet.
        private final Map<ApplicationId, PathIndex.Reach> before = new HashMap<>();

        private final IndexFile file;
        private volatile String head = "";
        private int settled;

        private Watched(IndexFile file) {
            this.file = file;
        }

        /// What was compared before and is as it was needs no look.
        private void pass(BiPredicate<ApplicationId, PathIndex.Reach> isAsBefore) {
            if (before.isEmpty()) return;
            for (var id : List.copyOf(due)) {
                var reach = before.remove(id);
                if (reach == null || !isAsBefore.test(id, reach)) continue;
                paths.put(id, reach);
                due.remove(id);
            }
        }

        /// Whether it was looked at where it is now.
        private boolean knows(Application application) {
            var reach = paths.all().get(id(application));
            return reach != null
                    && reach.file().equals(ApplicationFiles.path(application.getGitPath()));
        }

        /// Now and then, so that writing costs a small part of what was settled.
        private void save() {
            if (!due.isEmpty() || settled <= paths.all().size() / 8) return;
            file.write(head, paths.all());
            settled = 0;
        }
    }

    /// One look at one repository.
    public final class Look {
        private final RepositoryId repository;
        private final Watched state;

        private Look(RepositoryId repository, Watched state) {
            this.repository = repository;
            this.state = state;
        }

        /// The applications to be compared with `head`. Those that it concerns and those that were
        /// left before it take turns: neither waits for all of the other.
        public List<ApplicationId> concerned(Commit head) {
            var fresh = new LinkedHashSet<ApplicationId>();
            if (!state.head.isEmpty() && !state.head.equals(head.hash())) {
                var known =
                        repositories.eachChanged(
                                repository,
                                state.head,
                                head.hash(),
                                path -> state.paths.concerned(path, fresh));
                if (!known) fresh.addAll(state.paths.all().keySet());
            }
            synchronized (state) {
                return due(head, fresh);
            }
        }

        private List<ApplicationId> due(Commit head, Set<ApplicationId> fresh) {
            var left = new LinkedHashSet<>(state.due);
            left.removeAll(fresh);
            // What is due stays due until it is settled, also when the agent is interrupted here.
            state.due.addAll(fresh);
            state.head = head.hash();
            var ours = new ArrayList<ApplicationId>();
            for (var id : byTurns(fresh, left)) {
                if (applications.isIn(id, repository)) ours.add(id);
                else forget(id);
            }
            return ours;
        }

        private static List<ApplicationId> byTurns(
                Set<ApplicationId> one, Set<ApplicationId> other) {
            var all = new ArrayList<ApplicationId>(one.size() + other.size());
            var others = other.iterator();
            for (var id : one) {
                all.add(id);
                if (others.hasNext()) all.add(others.next());
            }
            others.forEachRemaining(all::add);
            return all;
        }

        /// The application was compared with `head`: it is due again when something it depends on
        /// changes. Without a readable configuration that is its directory.
        public void settle(Application application, Commit head, List<OnCommit> rules) {
            var id = new ApplicationId(application.getId());
            var file = ApplicationFiles.path(application.getGitPath());
            var places = places(application.getGitPath(), head);
            var patterns = rules.stream().flatMap(rule -> rule.paths().stream()).toList();
            var deployed = applications.find(id).map(Index::deployed).orElse("");
            // One text for all that were deployed at this head.
            var last = deployed.equals(head.hash()) ? head.hash() : deployed;
            var reach = new PathIndex.Reach(file, last, places, patterns);
            // Several are settled at a time.
            synchronized (state) {
                state.paths.put(id, reach);
                state.due.remove(id);
                state.settled++;
            }
        }

        /// All that was concerned has been settled, or stays due.
        public void end() {
            state.save();
        }

        private List<String> places(ApplicationGitPath gitPath, Commit head) {
            try {
                return ApplicationFiles.places(repositories, gitPath, head.hash());
            } catch (Problem unreadable) {
                return List.of(ApplicationFiles.folder(gitPath));
            }
        }

        private void forget(ApplicationId id) {
            state.due.remove(id);
            state.paths.remove(id);
        }
    }
}
