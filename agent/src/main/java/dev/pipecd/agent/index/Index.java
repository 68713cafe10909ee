// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.index;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig.OnCommit;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Tells for each new head of a repository which applications need a look. A quiet repository needs
/// none, and a commit those it may concern, however many others there are.
///
/// At the end of a look every application has been compared with that head. So whatever the next
/// head changes for one of them differs between the two heads, and is found there.
public final class Index {
    private final Repositories repositories;
    private final Applications applications;
    private final Map<RepositoryId, Watched> watched = new ConcurrentHashMap<>();

    public Index(Repositories repositories, Applications applications) {
        this.repositories = repositories;
        this.applications = applications;
    }

    /// Begins a look, before the fetch: an application that is registered meanwhile may be newer
    /// than the head that comes back. One look at a repository at a time.
    public Look look(RepositoryId repository) {
        var state = watched.computeIfAbsent(repository, _ -> new Watched());
        state.due.addAll(applications.takeChanged(repository));
        return new Look(repository, state);
    }

    /// What is known of one repository between looks.
    private static final class Watched {
        private final PathIndex paths = new PathIndex();
        private final Set<ApplicationId> due = new LinkedHashSet<>();
        private String head = "";
    }

    /// One look at one repository.
    public final class Look {
        private final RepositoryId repository;
        private final Watched state;

        private Look(RepositoryId repository, Watched state) {
            this.repository = repository;
            this.state = state;
        }

        /// The applications to be compared with `head`.
        public List<ApplicationId> concerned(Commit head) {
            if (!state.head.isEmpty() && !state.head.equals(head.hash())) {
                var known =
                        repositories.eachChanged(
                                repository,
                                state.head,
                                head.hash(),
                                path -> state.paths.concerned(path, state.due));
                if (!known) state.due.addAll(state.paths.all());
            }
            // What is due stays due until it is settled, also when the agent is interrupted here.
            state.head = head.hash();
            var ours = new ArrayList<ApplicationId>();
            for (var id : List.copyOf(state.due)) {
                if (applications.isIn(id, repository)) ours.add(id);
                else forget(id);
            }
            return ours;
        }

        /// The application was compared with `head`: it is due again when something it depends on
        /// changes. Without a readable configuration that is its directory.
        public void settle(Application application, Commit head, List<OnCommit> rules) {
            var id = new ApplicationId(application.getId());
            var file = ApplicationFiles.path(application.getGitPath());
            var places = new ArrayList<>(List.of(folder(application.getGitPath().getPath())));
            // A file behind a link changes elsewhere.
            real(head, file).filter(real -> !real.equals(folder(file))).ifPresent(places::add);
            var patterns = rules.stream().flatMap(rule -> rule.paths().stream()).toList();
            state.paths.put(id, new PathIndex.Reach(places, patterns));
            state.due.remove(id);
        }

        /// A path that leaves the repository leads nowhere.
        private Optional<String> real(Commit head, String file) {
            try {
                return repositories.real(repository, head.hash(), file);
            } catch (Problem unreadable) {
                return Optional.empty();
            }
        }

        private void forget(ApplicationId id) {
            state.due.remove(id);
            state.paths.remove(id);
        }

        private static String folder(String written) {
            var parts =
                    List.of(written.split("/", -1)).stream()
                            .filter(part -> !part.isEmpty() && !part.equals("."));
            return String.join("/", parts.toList());
        }
    }
}
