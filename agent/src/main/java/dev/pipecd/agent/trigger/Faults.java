// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import com.google.re2j.Pattern;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What keeps applications from being compared with Git: said on each of them once, and taken back
/// when it is over, so that their pages do not show what is no longer true.
final class Faults {
    private static final Logger log = LoggerFactory.getLogger(Faults.class);
    private static final String UNREADABLE = "the repository cannot be read";

    /// What another try tells otherwise of the same fault: how long git waited, how much came, and
    /// what it called the file that it could not write.
    private static final Pattern MEASURED =
            Pattern.compile("\\b([0-9]+ (ms|milliseconds|seconds|bytes)|tmp_[A-Za-z0-9_]+)\\b");

    /// On so many applications it is told that their repository cannot be read; how the agent does
    /// tells it anyway.
    private static final int MOST_TOLD = 1_000;

    private final Applications applications;
    private final Outbox outbox;
    private final InstantSource clock;
    private final Map<ApplicationId, Said> ofFiles = new ConcurrentHashMap<>();
    private final Map<ApplicationId, Said> ofRepositories = new ConcurrentHashMap<>();

    /// Those for which the repository could not be read when they were compared, although it was
    /// fetched: they stay due, and what was said of them stays until that went well.
    private final Set<ApplicationId> alone = ConcurrentHashMap.newKeySet();

    /// Repositories that were read in this life: only before that can an earlier one have left
    /// something to take back.
    private final Set<RepositoryId> read = ConcurrentHashMap.newKeySet();

    Faults(Applications applications, Outbox outbox, InstantSource clock) {
        this.applications = applications;
        this.outbox = outbox;
        this.clock = clock;
    }

    /// @param fault by which it is known again
    /// @param number of the report that told it
    /// @param before the application as it was
    private record Said(
            ApplicationSyncState state, String fault, long number, Application before) {}

    /// Something of the application itself is wrong. Answers whether it was news.
    boolean invalid(Application application, String brief, String reason) {
        var state = state(ApplicationSyncStatus.INVALID_CONFIG, brief, reason);
        return say(ofFiles, application, state, reason);
    }

    /// Its file can be read, and no deployment tells how it stands.
    void valid(Application application) {
        var id = new ApplicationId(application.getId());
        var said = ofFiles.remove(id);
        if (said != null) takeBack(id, said.number(), said.before());
        else if (isInvalid(application.getSyncState())) takeBack(id, 0, application);
    }

    /// A deployment was opened: it tells how the application stands.
    void opened(Application application) {
        ofFiles.remove(new ApplicationId(application.getId()));
    }

    void unreadable(RepositoryId repository, Problem problem) {
        for (var application : applications.of(repository, MOST_TOLD))
            sayUnreadable(application, problem.told());
    }

    /// The same of one that could not be compared with a head that was fetched.
    void unreadable(Application application, Problem problem) {
        alone.add(new ApplicationId(application.getId()));
        sayUnreadable(application, problem.told());
    }

    /// It is compared anew.
    void compares(Application application) {
        alone.remove(new ApplicationId(application.getId()));
    }

    private void sayUnreadable(Application application, String reason) {
        var state = state(ApplicationSyncStatus.UNKNOWN, UNREADABLE, reason);
        say(ofRepositories, application, state, MEASURED.matcher(reason).replaceAll("…"));
    }

    /// Called when all that is due was opened: of these deployments tell.
    void readable(RepositoryId repository) {
        if (read.add(repository))
            for (var application : applications.of(repository, MOST_TOLD))
                if (isUnreadable(application.getSyncState()))
                    ofRepositories.putIfAbsent(
                            new ApplicationId(application.getId()),
                            new Said(application.getSyncState(), "", 0, application));
        alone.removeIf(id -> applications.find(id).isEmpty());
        for (var id : ofRepositories.keySet())
            if (!alone.contains(id)
                    && (applications.isIn(id, repository) || applications.find(id).isEmpty())) {
                var said = ofRepositories.remove(id);
                if (said != null) takeBack(id, said.number(), said.before());
            }
    }

    private boolean say(
            Map<ApplicationId, Said> of,
            Application application,
            ApplicationSyncState state,
            String fault) {
        var id = new ApplicationId(application.getId());
        var said = of.get(id);
        if (said != null && said.fault().equals(fault)) return false;
        log.warn(
                "application {}: {}: {}",
                application.getName(),
                state.getShortReason(),
                state.getReason());
        var told = outbox.sendState(Reports.syncState(id, state));
        of.put(id, new Said(state, fault, told.number(), before(said, told, application)));
        return true;
    }

    private ApplicationSyncState state(ApplicationSyncStatus status, String brief, String reason) {
        return Reports.syncState(status, brief, reason, "", clock.instant());
    }

    /// What is known of the application may be older than what this agent has told of it.
    private static Application before(
            @Nullable Said said, Outbox.Told told, Application application) {
        var state = told.before().map(Reports::stateIn);
        if (state.isPresent() && !isUnreadable(state.get()) && !isInvalid(state.get()))
            return application.toBuilder().setSyncState(state.get()).build();
        return said == null ? application : said.before();
    }

    /// Unless a deployment has told something newer since, or tells it at its end.
    private void takeBack(ApplicationId id, long told, Application before) {
        var now = applications.find(id);
        if (now.isEmpty() || !sameDeployments(now.get(), before)) return;
        var invalid = ofFiles.get(id);
        var state = invalid == null ? stateOf(before) : invalid.state();
        if (state.getStatus() == ApplicationSyncStatus.DEPLOYING) return;
        var again = state.toBuilder().setTimestamp(clock.instant().getEpochSecond()).build();
        outbox.sendBehind(told, Reports.syncState(id, again));
    }

    /// What an earlier life said of a fault is no state to go back to, nor is what a deployment
    /// said that was not the last: which was deployed last tells then.
    private static ApplicationSyncState stateOf(Application before) {
        var state = before.getSyncState();
        var last = before.getMostRecentlyTriggeredDeployment().getDeploymentId();
        var head = state.getHeadDeploymentId();
        if (!isUnreadable(state) && !isInvalid(state) && (head.isEmpty() || head.equals(last)))
            return state;
        var good = before.getMostRecentlySuccessfulDeployment().getDeploymentId();
        return ApplicationSyncState.newBuilder()
                .setStatus(
                        !last.isEmpty() && last.equals(good)
                                ? ApplicationSyncStatus.SYNCED
                                : ApplicationSyncStatus.UNKNOWN)
                .build();
    }

    private static boolean isUnreadable(ApplicationSyncState state) {
        return state.getStatus() == ApplicationSyncStatus.UNKNOWN
                && state.getShortReason().equals(UNREADABLE);
    }

    /// Deployments name themselves when they tell the same.
    private static boolean isInvalid(ApplicationSyncState state) {
        return state.getStatus() == ApplicationSyncStatus.INVALID_CONFIG
                && state.getHeadDeploymentId().isEmpty();
    }

    private static boolean sameDeployments(Application one, Application other) {
        return one.getMostRecentlyTriggeredDeployment()
                        .equals(other.getMostRecentlyTriggeredDeployment())
                && one.getMostRecentlySuccessfulDeployment()
                        .equals(other.getMostRecentlySuccessfulDeployment());
    }
}
