// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/// Keys for callers of the public API: made and disabled by people, checked on every call.
public final class ApiKeys {
    private static final Duration LAST_USE_KEPT_EVERY = Duration.ofMinutes(10);

    private final ApiKeyStore store;
    private final Projects projects;
    private final KeyMatches matches;
    private final IdSource ids;
    private final InstantSource clock;

    public ApiKeys(
            ApiKeyStore store,
            Projects projects,
            KeyMatches matches,
            IdSource ids,
            InstantSource clock) {
        this.store = store;
        this.projects = projects;
        this.matches = matches;
        this.ids = ids;
        this.clock = clock;
    }

    /// Answers the key itself, this once.
    public String generate(Caller caller, String name, APIKey.Role role) {
        caller.require(Resource.API_KEY, Action.CREATE);
        var id = ids.next();
        var key = id + "." + RandomText.of(32);
        store.add(
                APIKey.newBuilder()
                        .setId(id)
                        .setName(name)
                        .setKeyHash(KeyMatches.hash(key))
                        .setProjectId(caller.project().value())
                        .setRole(role)
                        .setCreator(caller.name())
                        .build(),
                caller.name());
        return key;
    }

    public void disable(Caller caller, String id) {
        caller.require(Resource.API_KEY, Action.UPDATE);
        var _ =
                store.update(
                                id,
                                caller.name(),
                                key -> {
                                    Ownership.ofProject(caller, key.getProjectId(), "api key", id);
                                    if (key.getDisabled()) return new Edit.Unchanged<>();
                                    return new Edit.Changed<>(
                                            key.toBuilder().setDisabled(true).build(), "disabled");
                                })
                        .orElseThrow(() -> Ownership.notFound("api key", id));
    }

    public List<APIKey> list(Caller caller) {
        caller.require(Resource.API_KEY, Action.LIST);
        return store.of(caller.project()).stream().map(ApiKeys::redacted).toList();
    }

    private static APIKey redacted(APIKey key) {
        return key.toBuilder().setKeyHash("redacted").build();
    }

    /// Who holds this key; refuses one that is unknown, wrong or disabled.
    public Caller.KeyHolder verify(String presented) {
        var parts = presented.split("\\.", -1);
        if (parts.length != 2) throw unauthenticated();
        var key = store.find(parts[0]).orElseThrow(ApiKeys::unauthenticated);
        var project = new ProjectId(key.getProjectId());
        if (key.getDisabled() || projects.find(project).isEmpty()) throw unauthenticated();
        if (!matches.matches("api-key " + key.getId(), List.of(key.getKeyHash()), presented))
            throw unauthenticated();
        used(key);
        return new Caller.KeyHolder(
                project, key.getId(), key.getName(), key.getRole() == APIKey.Role.READ_WRITE);
    }

    private void used(APIKey key) {
        var now = clock.instant().getEpochSecond();
        if (now - key.getLastUsedAt() < LAST_USE_KEPT_EVERY.toSeconds()) return;
        var _ =
                store.update(
                        key.getId(),
                        key.getName(),
                        k -> new Edit.Refreshed<>(k.toBuilder().setLastUsedAt(now).build()));
    }

    private static Problem unauthenticated() {
        return new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Send an enabled API key of this control plane.");
    }
}
