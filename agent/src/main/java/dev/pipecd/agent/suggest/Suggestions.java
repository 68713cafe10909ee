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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports what application files say: to registered applications when it is something else than
/// what the control plane knows, and otherwise as a suggestion to register them.
public final class Suggestions {
    private static final Logger log = LoggerFactory.getLogger(Suggestions.class);

    /// The public control plane keeps suggestions in its cache only.
    private static final Duration TOLD_AGAIN_AFTER = Duration.ofMinutes(10);

    /// More would not fit into one message, which replaces what was told before.
    private static final int MOST = 10_000;

    private static final int MOST_BYTES = 7 << 19;

    private final Repositories repositories;
    private final Applications applications;
    private final Outbox outbox;
    private final StateReports reports;
    private final Whose whose;
    private final InstantSource clock;
    private final List<FoundFiles> found;
    private Map<ApplicationId, ApplicationInfo> corrected = Map.of();
    private List<String> compared = List.of();
    private boolean known;
    private List<ApplicationInfo> suggested = List.of();
    private List<ApplicationInfo> told = List.of();
    private Instant toldAt = Instant.EPOCH;

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
        var now = basis();
        if (!now.equals(compared)) {
            correct();
            known = found.stream().allMatch(this::looked);
            suggested = unregistered();
            compared = now;
        }
        if (known) suggest();
        if (first.isPresent()) throw first.get();
    }

    /// What the comparison depends on: a quiet fleet costs nothing.
    private List<String> basis() {
        var basis = new ArrayList<>(List.of(Long.toString(applications.version())));
        found.forEach(files -> basis.add("%d %s".formatted(files.version(), looked(files))));
        return basis;
    }

    /// Before the first fetch nothing is known of a repository, which is not the same as nothing
    /// being there.
    private boolean looked(FoundFiles files) {
        return !files.seen().isEmpty()
                || !(repositories.health().get(files.repository()) instanceof Health.NotFetchedYet);
    }

    private void correct() {
        var news = new ArrayList<ApplicationInfo>();
        var wrong = new HashMap<ApplicationId, ApplicationInfo>();
        for (var all = applications.all().iterator(); all.hasNext(); ) {
            var application = all.next();
            var wanted = wanted(application);
            if (wanted.isEmpty()) continue;
            var id = new ApplicationId(application.getId());
            wrong.put(id, wanted.get());
            if (!wanted.get().equals(corrected.get(id))) news.add(wanted.get());
        }
        corrected = wrong;
        outbox.record(List.of(), Reports.configurations(news));
    }

    /// What the file says, if that is something else.
    private Optional<ApplicationInfo> wanted(Application application) {
        var repository = application.getGitPath().getRepo().getId();
        var path = ApplicationFiles.path(application.getGitPath());
        var digest =
                FoundFiles.digest(
                        application.getName(),
                        application.getDescription(),
                        application.getLabelsMap());
        return found.stream()
                .filter(files -> files.repository().value().equals(repository))
                .filter(files -> files.differs(path, digest))
                .findFirst()
                .flatMap(files -> files.about(path))
                .map(about -> info(about, application));
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

    private List<ApplicationInfo> unregistered() {
        var registered = new HashSet<String>();
        applications
                .all()
                .forEach(a ->
                        registered.add(
                                a.getGitPath().getRepo().getId()
                                        + "\n"
                                        + ApplicationFiles.path(a.getGitPath())));
        var fresh = new ArrayList<ApplicationInfo>();
        var size = 0;
        for (var files : found) {
            var repository = files.repository().value();
            for (var path : files.paths()) {
                if (registered.contains(repository + "\n" + path)) continue;
                var about = files.about(path).filter(this::selected);
                if (about.isEmpty()) continue;
                var info = info(about.get(), repository, path);
                size += info.getSerializedSize();
                if (fresh.size() == MOST || size > MOST_BYTES) return tooMany(fresh);
                fresh.add(info);
            }
        }
        return List.copyOf(fresh);
    }

    private static List<ApplicationInfo> tooMany(List<ApplicationInfo> fitting) {
        log.warn(
                "more application files are not registered than can be suggested at once; the first {} are. Narrow `appSelector`",
                fitting.size());
        return List.copyOf(fitting);
    }

    private boolean selected(About about) {
        return about.labels().entrySet().containsAll(whose.selector().entrySet());
    }

    private ApplicationInfo info(About about, String repository, String path) {
        return described(about)
                .setKind(kind(about).orElse(ApplicationKind.KUBERNETES))
                .setRepoId(repository)
                .setPath(FoundFiles.folder(path))
                .setConfigFilename(FoundFiles.fileName(path))
                .setPipedId(whose.piped().value())
                .build();
    }

    /// An empty list is told once, also at the start: what was told before may be wrong by now.
    private void suggest() {
        var now = clock.instant();
        var never = toldAt.equals(Instant.EPOCH);
        var again = !suggested.isEmpty() && now.isAfter(toldAt.plus(TOLD_AGAIN_AFTER));
        if (suggested.equals(told) && !never && !again) return;
        reports.unregistered(suggested);
        told = suggested;
        toldAt = now;
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
