// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.cache.Cache;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.stored.StoredAPIKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keys for callers of the public API: made and disabled by people, checked on every call.
public final class ApiKeys {
    private static final Logger log = LoggerFactory.getLogger(ApiKeys.class);
    private static final long NEVER = 0;

    /// How a key tells when it ends: Unix seconds to the base of 36.
    private static final Pattern END = Pattern.compile("_([0-9a-z]{1,8})$");

    private static final long LATEST_END = Long.parseLong("zzzzzzzz", 36);
    private static final Duration LAST_USE_KEPT_EVERY = Duration.ofMinutes(10);

    /// Where the public server notes it and looks for it, also after a switch back.
    private static final String PUBLIC_USES = "HASHKEY:PIPED:API_KEYS";

    private final ApiKeyStore store;
    private final Accounts accounts;
    private final KeyMatches matches;
    private final UnaryOperator<String> hash;
    private final IdSource ids;
    private final Cache cache;
    private final InstantSource clock;

    /// @param hash how a key is kept
    public ApiKeys(
            ApiKeyStore store,
            Accounts accounts,
            KeyMatches matches,
            UnaryOperator<String> hash,
            IdSource ids,
            Cache cache,
            InstantSource clock) {
        this.store = store;
        this.accounts = accounts;
        this.matches = matches;
        this.hash = hash;
        this.ids = ids;
        this.cache = cache;
        this.clock = clock;
    }

    /// Answers the key itself, this once.
    public String generate(Caller caller, String name, APIKey.Role role) {
        return generate(caller, name, role, NEVER);
    }

    /// @param expires Unix seconds
    public String generate(Caller caller, String name, APIKey.Role role, long expires) {
        caller.require(Resource.API_KEY, Action.CREATE);
        if (expires != NEVER && expires <= clock.instant().getEpochSecond())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "expires_at: %s (expected: a time to come, or 0)"
                            .formatted(Instant.ofEpochSecond(expires)),
                    "Give it some time to live.");
        var id = ids.next();
        var key = id + "." + secret(expires);
        store.add(
                StoredAPIKey.newBuilder()
                        .setId(id)
                        .setName(name)
                        .setKeyHash(hash.apply(key))
                        .setProjectId(caller.project().value())
                        .setRole(role)
                        .setCreator(caller.name())
                        .setExpiresAt(expires)
                        .build(),
                caller.name());
        return key;
    }

    /// One that ends says so itself, where its hash protects it: the public server, which knows no
    /// ends, forgets them when it writes the document.
    private static String secret(long expires) {
        return expires == NEVER
                ? RandomText.of(32)
                : RandomText.of(23) + "_" + Long.toString(Math.min(expires, LATEST_END), 36);
    }

    private static long endIn(String secret) {
        var end = END.matcher(secret);
        return end.find() ? Long.parseLong(end.group(1), 36) : NEVER;
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

    /// Field by field: what is not named here is not told.
    private static APIKey redacted(StoredAPIKey key) {
        return APIKey.newBuilder()
                .setId(key.getId())
                .setName(key.getName())
                .setKeyHash("redacted")
                .setProjectId(key.getProjectId())
                .setRole(key.getRole())
                .setCreator(key.getCreator())
                .setLastUsedAt(key.getLastUsedAt())
                .setDisabled(key.getDisabled())
                .setCreatedAt(key.getCreatedAt())
                .setUpdatedAt(key.getUpdatedAt())
                .build();
    }

    /// When keys end, by their id; those that do not are left out.
    public Map<String, Long> expiries(Caller caller) {
        caller.require(Resource.API_KEY, Action.LIST);
        return store.of(caller.project()).stream()
                .filter(k -> k.getExpiresAt() != NEVER)
                .collect(Collectors.toMap(StoredAPIKey::getId, StoredAPIKey::getExpiresAt));
    }

    private boolean isOver(long end) {
        return end != NEVER && end <= clock.instant().getEpochSecond();
    }

    /// Who holds this key; refuses one that is unknown, wrong, disabled or at its end.
    public Caller.KeyHolder verify(String presented) {
        var parts = presented.split("\\.", -1);
        if (parts.length != 2) throw unauthenticated();
        var key = store.find(parts[0]).orElseThrow(ApiKeys::unauthenticated);
        var project = new ProjectId(key.getProjectId());
        var end = endIn(parts[1]);
        if (key.getDisabled() || isOver(key.getExpiresAt()) || isOver(end)) throw unauthenticated();
        if (!accounts.exists(project)) throw unauthenticated();
        if (!matches.matches("api-key " + key.getId(), List.of(key.getKeyHash()), presented))
            throw unauthenticated();
        used(key, end);
        return new Caller.KeyHolder(
                project, key.getId(), key.getName(), key.getRole() == APIKey.Role.READ_WRITE);
    }

    private void used(StoredAPIKey key, long end) {
        var now = clock.instant().getEpochSecond();
        if (now - key.getLastUsedAt() < LAST_USE_KEPT_EVERY.toSeconds()) return;
        try {
            var _ =
                    store.update(
                            key.getId(),
                            key.getName(),
                            k -> new Edit.Refreshed<>(withEnd(k, end).setLastUsedAt(now).build()));
        } catch (RuntimeException e) {
            // A good key is good also while nothing can be written.
            log.warn("when key {} was used could not be noted; look at the store", key.getId(), e);
        }
        try {
            cache.put(PUBLIC_USES, key.getId(), Long.toString(now));
        } catch (RuntimeException e) {
            log.warn("when key {} was used could not be told; look at Redis", key.getId(), e);
        }
    }

    /// Written down again where it was forgotten, so that people see it.
    private static StoredAPIKey.Builder withEnd(StoredAPIKey key, long end) {
        var kept = key.toBuilder();
        return key.getExpiresAt() == NEVER ? kept.setExpiresAt(end) : kept;
    }

    /// Takes over when keys were last used from where the public server notes it, as Unix seconds
    /// by id; never back.
    public void usedElsewhere() {
        cache.all(PUBLIC_USES)
                .forEach((id, text) -> {
                    if (!text.matches("[0-9]{1,12}")) return;
                    var at = Math.min(Long.parseLong(text), clock.instant().getEpochSecond());
                    var _ =
                            store.update(
                                    id,
                                    "control plane",
                                    k ->
                                            k.getDisabled() || k.getLastUsedAt() >= at
                                                    ? new Edit.Unchanged<>()
                                                    : new Edit.Refreshed<>(
                                                            k.toBuilder()
                                                                    .setLastUsedAt(at)
                                                                    .build()));
                });
    }

    private static Problem unauthenticated() {
        return new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Send an enabled API key of this control plane.");
    }
}
