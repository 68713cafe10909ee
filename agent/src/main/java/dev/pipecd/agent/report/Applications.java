// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Deployment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/// The applications of this agent as last told by the control plane, kept on disk so that a restart
/// works without it. What the agent itself did since wins over an older word of the control plane.
///
/// There may be 50,000: they are kept as they came over the wire, and what is told again unchanged
/// is not looked into.
public final class Applications {
    private final ApplicationsFile file;
    private final Map<ApplicationId, Kept> known = new LinkedHashMap<>();
    private final Map<String, RepositoryId> repositories = new HashMap<>();

    private final Set<ApplicationId> outOfSync = new LinkedHashSet<>();

    /// What came, moved or went since somebody asked.
    private final Map<RepositoryId, Set<ApplicationId>> changed = new HashMap<>();

    private long version;

    public Applications(Path file) {
        this.file = new ApplicationsFile(file);
        this.file.read(document -> keep(parsed(document), document, 0));
    }

    /// All of them, each read as it is come to: together they would take much room.
    public Stream<Application> all() {
        List<Kept> now;
        synchronized (this) {
            now = List.copyOf(known.values());
        }
        return now.stream().map(kept -> parsed(kept.document()));
    }

    /// Another number when there are others, or one is called, labelled or aimed otherwise: what
    /// happens to them every day does not count.
    public synchronized long version() {
        return version;
    }

    /// Some of a repository, at most so many.
    public synchronized List<Application> of(RepositoryId repository, int most) {
        return known.values().stream()
                .filter(kept -> kept.repository().equals(repository))
                .limit(most)
                .map(kept -> parsed(kept.document()))
                .toList();
    }

    /// Those that the control plane lists as out of sync.
    public synchronized List<Application> outOfSync(RepositoryId repository) {
        return outOfSync.stream()
                .filter(id -> isIn(id, repository))
                .map(this::find)
                .flatMap(Optional::stream)
                .toList();
    }

    public synchronized Optional<Application> find(ApplicationId id) {
        return Optional.ofNullable(known.get(id)).map(kept -> parsed(kept.document()));
    }

    public synchronized boolean isIn(ApplicationId id, RepositoryId repository) {
        var kept = known.get(id);
        return kept != null && kept.repository().equals(repository);
    }

    /// Those that came, moved or went since this was last asked; after a start, all of them.
    public synchronized Set<ApplicationId> takeChanged(RepositoryId repository) {
        var taken = changed.remove(repository);
        return taken == null ? Set.of() : taken;
    }

    /// Those that came or moved, since this was last asked, to a repository that nobody watches.
    public synchronized List<Application> takeStrays(Set<RepositoryId> watched) {
        var unwatched = new HashSet<>(changed.keySet());
        unwatched.removeAll(watched);
        return unwatched.stream()
                .flatMap(repository -> takeChanged(repository).stream())
                .map(this::find)
                .flatMap(Optional::stream)
                .filter(a -> !watched.contains(new RepositoryId(a.getGitPath().getRepo().getId())))
                .toList();
    }

    /// Answers whether there is one that was not known before, or is at another place now.
    public boolean refresh(List<Application> told) {
        return refreshWith(told.stream().map(Application::toByteArray).toList());
    }

    /// The same, with documents as they came over the wire.
    public synchronized boolean refreshWith(List<byte[]> told) {
        var named = HashSet.<ApplicationId>newHashSet(told.size());
        var news = new ArrayList<byte[]>();
        var moved = false;
        for (var document : told) {
            var id = ApplicationsFile.id(document);
            named.add(id);
            var digest = ApplicationsFile.digest(document);
            var before = known.get(id);
            if (before != null && before.digest() == digest) continue;
            var was = find(id);
            var newest = newest(was, parsed(document));
            if (was.isEmpty() || !sameCharacter(was.get(), newest)) version++;
            var written = newest.toByteArray();
            if (before == null || !Arrays.equals(before.document(), written)) news.add(written);
            moved |= keep(newest, written, digest);
        }
        if (named.size() != known.size()) version++;
        if (forgetOthers(named)) file.write(documents());
        else file.add(news, this::documents);
        return moved;
    }

    private static boolean sameCharacter(Application one, Application other) {
        return character(one).equals(character(other));
    }

    private static Application character(Application application) {
        return application.toBuilder()
                .clearMostRecentlySuccessfulDeployment()
                .clearMostRecentlyTriggeredDeployment()
                .clearSyncState()
                .clearDeploying()
                .clearUpdatedAt()
                .build();
    }

    private boolean forgetOthers(Set<ApplicationId> named) {
        if (named.size() == known.size()) return false;
        for (var id : List.copyOf(known.keySet())) {
            if (named.contains(id)) continue;
            var gone = known.remove(id);
            outOfSync.remove(id);
            if (gone != null) note(gone.repository(), id);
        }
        return true;
    }

    /// Another agent acted since: what this one did itself may be known to nobody else. The control
    /// plane tells all of them again.
    public synchronized void forget() {
        forgetOthers(Set.of());
        file.write(documents());
    }

    /// Called after the deployment is recorded: a crash in between is mended from the journal.
    public synchronized void triggered(Deployment deployment) {
        change(deployment, (a, r) -> a.toBuilder().setMostRecentlyTriggeredDeployment(r).build());
    }

    /// What the journal tells after a restart: true unless a newer one is known.
    public synchronized void triggeredBefore(Deployment deployment) {
        var newest =
                find(new ApplicationId(deployment.getApplicationId()))
                        .map(a -> a.getMostRecentlyTriggeredDeployment().getStartedAt())
                        .orElse(0L);
        if (newest <= deployment.getCreatedAt()) triggered(deployment);
    }

    /// On the disk when it comes back: the next deployment is planned against this one, and its
    /// rollback leads there.
    public void succeeded(Deployment deployment) {
        if (change(
                deployment, (a, r) -> a.toBuilder().setMostRecentlySuccessfulDeployment(r).build()))
            // Without the lock: whoever asks must not wait for a disk.
            file.force();
    }

    /// What the journal tells after a restart: true unless this one, or a newer one, is known.
    public void succeededBefore(Deployment deployment) {
        var known =
                find(new ApplicationId(deployment.getApplicationId()))
                        .map(Application::getMostRecentlySuccessfulDeployment)
                        .filter(last ->
                                last.getStartedAt() > deployment.getCreatedAt()
                                        || last.getDeploymentId().equals(deployment.getId()));
        if (known.isEmpty()) succeeded(deployment);
    }

    /// Answers whether the application is known.
    private synchronized boolean change(
            Deployment deployment,
            BiFunction<Application, ApplicationDeploymentReference, Application> how) {
        var id = new ApplicationId(deployment.getApplicationId());
        var kept = known.get(id);
        if (kept == null) return false;
        var reference =
                ApplicationDeploymentReference.newBuilder()
                        .setDeploymentId(deployment.getId())
                        .setTrigger(deployment.getTrigger())
                        .setSummary(deployment.getSummary())
                        .setConfigFilename(deployment.getGitPath().getConfigFilename())
                        .setStartedAt(deployment.getCreatedAt())
                        .build();
        var document = how.apply(parsed(kept.document()), reference).toByteArray();
        known.put(id, new Kept(kept.repository(), document, kept.digest()));
        file.add(List.of(document), this::documents);
        return true;
    }

    private static Application newest(Optional<Application> ours, Application told) {
        if (ours.isEmpty()) return told;
        var merged = told.toBuilder();
        var here = ours.get();
        if (here.getMostRecentlyTriggeredDeployment().getStartedAt()
                >= told.getMostRecentlyTriggeredDeployment().getStartedAt())
            merged.setMostRecentlyTriggeredDeployment(here.getMostRecentlyTriggeredDeployment());
        if (here.getMostRecentlySuccessfulDeployment().getStartedAt()
                >= told.getMostRecentlySuccessfulDeployment().getStartedAt())
            merged.setMostRecentlySuccessfulDeployment(here.getMostRecentlySuccessfulDeployment());
        return merged.build();
    }

    /// Answers whether it is new, or at another place than before.
    private boolean keep(Application application, byte[] document, long digest) {
        var id = new ApplicationId(application.getId());
        var repository =
                repositories.computeIfAbsent(
                        application.getGitPath().getRepo().getId(), RepositoryId::new);
        var before = find(id);
        var place = known.put(id, new Kept(repository, document, digest));
        if (application.getSyncState().getStatus() == ApplicationSyncStatus.OUT_OF_SYNC)
            outOfSync.add(id);
        else outOfSync.remove(id);
        var moved = before.isEmpty() || !before.get().getGitPath().equals(application.getGitPath());
        if (place != null && moved) note(place.repository(), id);
        if (moved || !lastCommit(before.get()).equals(lastCommit(application)))
            note(repository, id);
        return moved;
    }

    private static String lastCommit(Application application) {
        return application.getMostRecentlyTriggeredDeployment().getTrigger().getCommit().getHash();
    }

    private void note(RepositoryId repository, ApplicationId id) {
        changed.computeIfAbsent(repository, _ -> new LinkedHashSet<>()).add(id);
    }

    private Iterable<byte[]> documents() {
        return known.values().stream().map(Kept::document)::iterator;
    }

    private static Application parsed(byte[] document) {
        try {
            return Application.parseFrom(document);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not an application", e);
        }
    }

    /// @param digest of what the control plane told last; 0 when it told nothing since the start
    private record Kept(RepositoryId repository, byte[] document, long digest) {}
}
