// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.access.RandomText;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipedKey;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// Agents as people see them: registered, given keys, enabled and disabled.
public final class Pipeds {
    private static final int KEY_LENGTH = 50;
    private static final int MOST_KEYS = 2;
    private static final int MOST_OF_A_PROJECT = 10_000;

    /// What people say of one, in bytes; all of it is in memory.
    private static final int MOST_SAID = 8 * 1024;

    private final PipedStore store;
    private final Heartbeats heartbeats;
    private final UnaryOperator<String> hash;
    private final IdSource ids;
    private final InstantSource clock;

    /// @param hash how a key is kept
    public Pipeds(
            PipedStore store,
            Heartbeats heartbeats,
            UnaryOperator<String> hash,
            IdSource ids,
            InstantSource clock) {
        this.store = store;
        this.heartbeats = heartbeats;
        this.hash = hash;
        this.ids = ids;
        this.clock = clock;
    }

    public Registered register(Caller caller, String name, String description) {
        caller.require(Resource.PIPED, Action.CREATE);
        if (name.isBlank())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "name: \"\" (expected: a name people know the agent by)",
                    "Give the agent a name.");
        var registered = store.count(caller.project());
        if (registered >= MOST_OF_A_PROJECT)
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "agents: %d (expected: fewer than %d in a project)"
                            .formatted(registered, MOST_OF_A_PROJECT),
                    "Give one that is not used any more a new name and a new key.");
        var id = new PipedId(ids.next());
        var key = RandomText.of(KEY_LENGTH);
        var added =
                Piped.newBuilder()
                        .setId(id.value())
                        .setName(name)
                        .setDesc(description)
                        .setProjectId(caller.project().value())
                        .addKeys(hashed(caller, key))
                        .build();
        limit(added, MOST_SAID);
        store.add(added, caller.name());
        return new Registered(id, key);
    }

    static void limit(Piped piped, int most) {
        if (piped.getSerializedSize() > most)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "agent: %d bytes (expected: at most %d without its configuration)"
                            .formatted(piped.getSerializedSize(), most),
                    "Say less of it.");
    }

    /// Adds a second key, so that an agent can change over without a gap; answers it this once.
    public String recreateKey(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.UPDATE);
        var key = RandomText.of(KEY_LENGTH);
        var added = hashed(caller, key);
        update(
                caller,
                id,
                "key added",
                piped -> {
                    if (piped.getKeysCount() >= MOST_KEYS)
                        throw new Problem(
                                Problem.Code.PRECONDITION_FAILED,
                                "keys: %d (expected: fewer than %d)"
                                        .formatted(piped.getKeysCount(), MOST_KEYS),
                                "Delete the old keys first.");
                    var keys = piped.toBuilder().clearKeys().addKeys(added);
                    return keys.addAllKeys(piped.getKeysList()).build();
                });
        return key;
    }

    public void deleteOldKeys(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.UPDATE);
        update(
                caller,
                id,
                "old keys deleted",
                piped ->
                        piped.getKeysList().stream()
                                .max(
                                        Comparator.comparingLong(PipedKey::getCreatedAt)
                                                // keys of one second: the newest stands first
                                                .thenComparingInt(
                                                        k -> -piped.getKeysList().indexOf(k)))
                                .map(newest ->
                                        piped.toBuilder().clearKeys().addKeys(newest).build())
                                .orElse(piped));
    }

    public void enable(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.UPDATE);
        update(caller, id, "enabled", piped -> piped.toBuilder().setDisabled(false).build());
    }

    public void disable(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.UPDATE);
        update(caller, id, "disabled", piped -> piped.toBuilder().setDisabled(true).build());
    }

    public List<Piped> list(Caller caller) {
        caller.require(Resource.PIPED, Action.LIST);
        return store.of(caller.project()).stream().map(this::told).toList();
    }

    public Piped get(Caller caller, PipedId id) {
        caller.require(Resource.PIPED, Action.GET);
        return told(ofProject(caller.project(), id));
    }

    /// One of the project's, for features that build upon it.
    public Piped ofProject(ProjectId project, PipedId id) {
        return store.find(id)
                .filter(p -> p.getProjectId().equals(project.value()))
                .orElseThrow(() -> Ownership.notFound("piped", id.value()));
    }

    /// Whom a push concerns, in every project, with what of it they watch.
    public Collection<Piped> watching(Predicate<ApplicationGitRepository> pushed) {
        return store.watching(pushed);
    }

    /// The enabled ones of a project, without anything secret.
    public List<Piped> enabled(ProjectId project) {
        return store.of(project).stream().filter(p -> !p.getDisabled()).map(this::told).toList();
    }

    /// All of a project, whatever they are allowed.
    public List<PipedId> ids(ProjectId project) {
        return store.of(project).stream().map(p -> new PipedId(p.getId())).toList();
    }

    /// Whose it is; empty when nobody knows it, or it is switched off.
    public Optional<ProjectId> owner(PipedId id) {
        return store.known(id)
                .filter(p -> !p.getDisabled())
                .map(p -> new ProjectId(p.getProjectId()));
    }

    /// For those who look after what agents do.
    public Heartbeats heartbeats() {
        return heartbeats;
    }

    /// Whether it was heard of lately.
    public Piped.ConnectionStatus status(Piped piped) {
        return heartbeats.status(new PipedId(piped.getId()));
    }

    void update(Caller caller, PipedId id, String what, UnaryOperator<Piped> change) {
        var _ =
                store.update(
                                id,
                                caller.name(),
                                piped -> {
                                    Ownership.ofProject(
                                            caller, piped.getProjectId(), "piped", id.value());
                                    var changed = change.apply(piped);
                                    if (said(changed).getSerializedSize()
                                            > said(piped).getSerializedSize())
                                        limit(said(changed), MOST_SAID);
                                    return changed.equals(piped)
                                            ? new Edit.Unchanged<>()
                                            : new Edit.Changed<>(changed, what);
                                })
                        .orElseThrow(() -> Ownership.notFound("piped", id.value()));
    }

    private static Piped said(Piped piped) {
        return Piped.newBuilder()
                .setName(piped.getName())
                .setDesc(piped.getDesc())
                .setDesiredVersion(piped.getDesiredVersion())
                .build();
    }

    private PipedKey hashed(Caller caller, String key) {
        return PipedKey.newBuilder()
                .setHash(hash.apply(key))
                .setCreator(caller.name())
                .setCreatedAt(clock.instant().getEpochSecond())
                .build();
    }

    private Piped told(Piped piped) {
        var told = piped.toBuilder().setStatus(status(piped));
        told.getKeysBuilderList().forEach(k -> k.setHash("redacted"));
        return told.build();
    }

    /// A new agent's id, and its key, which is shown this once.
    public record Registered(PipedId id, String key) {
        @Override
        public String toString() {
            return "Registered[" + id + "]";
        }
    }
}
