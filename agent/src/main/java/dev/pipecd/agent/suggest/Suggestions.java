// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.suggest;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Health;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.config.ApplicationConfig.About;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports what application files say: to registered applications when it is something else than
/// what the control plane knows, and otherwise as a suggestion to register them.
public final class Suggestions {
    private static final Logger log = LoggerFactory.getLogger(Suggestions.class);

    /// The public control plane keeps suggestions in its cache only.
    private static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(10);

    /// More would not fit into one message.
    private static final int MOST = 10_000;

    private final Repositories repositories;
    private final Applications applications;
    private final Outbox outbox;
    private final StateReports reports;
    private final Whose whose;
    private final InstantSource clock;
    private final List<FoundFiles> found;
    private final Map<ApplicationId, ApplicationInfo> corrected = new HashMap<>();
    private List<ApplicationInfo> suggested = List.of();
    private Instant suggestedAt = Instant.EPOCH;

    public Suggestions(
            Repositories repositories,
            ApplicationFiles files,
            Applications applications,
            Outbox outbox,
            StateReports reports,
            Whose whose,
            InstantSource clock) {
        this.repositories = repositories;
        this.applications = applications;
        this.outbox = outbox;
        this.reports = reports;
        this.whose = whose;
        this.clock = clock;
        this.found =
                repositories.health().keySet().stream()
                        .map(id -> new FoundFiles(id, repositories, files))
                        .toList();
    }

    /// Which agent suggests, and only applications with these labels.
    public record Whose(PipedId piped, Map<String, String> selector) {
        public Whose {
            selector = Map.copyOf(selector);
        }
    }

    /// One repository that cannot be read does not keep the others from it.
    public synchronized void look() {
        Optional<Problem> first = Optional.empty();
        for (var files : found) {
            try {
                files.look();
            } catch (Problem problem) {
                first = first.or(() -> Optional.of(problem));
            }
        }
        var all = applications.all();
        correct(all);
        if (found.stream().allMatch(this::looked)) suggest(all);
        if (first.isPresent()) throw first.get();
    }

    /// Before the first fetch nothing is known of a repository, which is not the same as nothing
    /// being there.
    private boolean looked(FoundFiles files) {
        return files.known()
                || !(repositories.health().get(files.repository()) instanceof Health.NotFetchedYet);
    }

    private void correct(List<Application> all) {
        var news = new ArrayList<ApplicationInfo>();
        var listed = new HashSet<ApplicationId>();
        for (var application : all) {
            var id = new ApplicationId(application.getId());
            listed.add(id);
            var wanted = find(application).filter(about -> differs(about, application));
            if (wanted.isEmpty()) {
                corrected.remove(id);
                continue;
            }
            var info = info(wanted.get(), application);
            if (!info.equals(corrected.put(id, info))) news.add(info);
        }
        corrected.keySet().retainAll(listed);
        if (!news.isEmpty()) outbox.send(Reports.configurations(news));
    }

    private Optional<About> find(Application application) {
        return found.stream()
                .filter(f ->
                        f.repository().value().equals(application.getGitPath().getRepo().getId()))
                .findFirst()
                .flatMap(f -> f.find(path(application)));
    }

    private static String path(Application application) {
        return application.getGitPath().getPath()
                + "/"
                + ApplicationFiles.fileName(application.getGitPath());
    }

    private static boolean differs(About about, Application application) {
        return !about.name().equals(application.getName())
                || !about.description().equals(application.getDescription())
                || !about.labels().equals(application.getLabelsMap());
    }

    @SuppressWarnings("deprecation") // the public protocol still carries the kind
    private static ApplicationInfo info(About about, Application application) {
        return described(about)
                .setId(application.getId())
                .setKind(kind(about).orElse(application.getKind()))
                .setRepoId(application.getGitPath().getRepo().getId())
                .setPath(application.getGitPath().getPath())
                .setConfigFilename(application.getGitPath().getConfigFilename())
                .setPipedId(application.getPipedId())
                .build();
    }

    private void suggest(List<Application> all) {
        var registered = new HashSet<String>();
        all.forEach(a -> registered.add(a.getGitPath().getRepo().getId() + "\n" + path(a)));
        var fresh = new ArrayList<ApplicationInfo>();
        for (var files : found) fresh.addAll(unregistered(files, registered));
        if (fresh.size() > MOST) {
            log.warn(
                    "{} application files are not registered; the first {} are suggested (narrow `appSelector`)",
                    fresh.size(),
                    MOST);
            fresh.subList(MOST, fresh.size()).clear();
        }
        var now = clock.instant();
        var due = now.isAfter(suggestedAt.plus(TOLD_AGAIN_AFTER));
        if (fresh.equals(suggested) && (!due || (fresh.isEmpty() && told()))) return;
        reports.unregistered(fresh);
        suggested = List.copyOf(fresh);
        suggestedAt = now;
    }

    private boolean told() {
        return !suggestedAt.equals(Instant.EPOCH);
    }

    private List<ApplicationInfo> unregistered(FoundFiles files, Set<String> registered) {
        var repository = files.repository().value();
        return files.all().entrySet().stream()
                .filter(file -> !registered.contains(repository + "\n" + file.getKey()))
                .filter(file ->
                        file.getValue()
                                .labels()
                                .entrySet()
                                .containsAll(whose.selector().entrySet()))
                .map(file ->
                        described(file.getValue())
                                .setKind(kind(file.getValue()).orElse(ApplicationKind.KUBERNETES))
                                .setRepoId(repository)
                                .setPath(FoundFiles.folder(file.getKey()))
                                .setConfigFilename(FoundFiles.fileName(file.getKey()))
                                .setPipedId(whose.piped().value())
                                .build())
                .toList();
    }

    private static ApplicationInfo.Builder described(About about) {
        return ApplicationInfo.newBuilder()
                .setName(about.name())
                .setDescription(about.description())
                .putAllLabels(about.labels());
    }

    private static Optional<ApplicationKind> kind(About about) {
        var named = about.platform().toUpperCase(Locale.ROOT);
        return Arrays.stream(ApplicationKind.values())
                .filter(kind -> kind.name().equals(named))
                .findFirst();
    }
}
