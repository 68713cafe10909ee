// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Ends many sessions at once: those opened until now, on every server of the store.
public final class SessionEnds {
    /// Longer than any token is good for.
    private static final Duration REMEMBERED = Duration.ofDays(3650);

    private static final int LONGEST_NAME = 200;

    private final SessionStore store;
    private final InstantSource clock;

    public SessionEnds(SessionStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /// @param person everybody of the project when empty
    public void end(Caller caller, String person) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        if (person.length() > LONGEST_NAME)
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "subject: %d characters (expected: at most %d)"
                            .formatted(person.length(), LONGEST_NAME),
                    "Give the name as the audit log tells it.");
        var project = caller.project();
        if (person.isEmpty()) mark(caller, ofAll(project), "ended the sessions of everybody");
        else mark(caller, of(project, person), "ended the sessions of " + person);
    }

    private void mark(Caller caller, String id, String how) {
        store.end(caller.project(), caller.name(), new SessionStore.End(id, expires(), how));
    }

    /// Those whose tokens do not say how their holders logged in, as the public server writes them:
    /// one of them may have been opened with the password that is about to change. What changes it
    /// is told by itself.
    public void endUnsaid(ProjectId project, String actor) {
        store.end(project, actor, new SessionStore.End(ofUnsaid(project), expires(), ""));
    }

    /// Those from elsewhere that carry a role: one of its groups is about to lose it, and which
    /// groups somebody is in is asked only when they log in. What takes it is told by itself.
    public void endRole(ProjectId project, String actor, String role) {
        store.end(project, actor, new SessionStore.End(ofRole(project, role), expires(), ""));
    }

    private Instant expires() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS).plus(REMEMBERED);
    }

    /// Whether it was ended, by itself or with others. An end that its token does not know of came
    /// after it, also when the clock it was opened by was ahead.
    static boolean ended(SessionStore store, Sessions.Session session) {
        var ids = ids(session.person(), session.byPassword());
        if (session.via().isEmpty()) ids.add(ofUnsaid(session.person().project()));
        ids.add(session.id());
        var ended = store.ended(ids);
        return ended.containsKey(session.id())
                // tokens tell whole seconds
                || ended.values().stream()
                        .anyMatch(end -> !session.opened().isAfter(end.minus(REMEMBERED)))
                || !session.ends().isEmpty() && !session.ends().equals(print(ended));
    }

    /// What a session that is opened now knows of.
    static String told(SessionStore store, Caller.Person person, boolean byPassword) {
        return print(store.ended(ids(person, byPassword)));
    }

    private static String print(Map<String, Instant> ended) {
        return digest(new TreeMap<>(ended).toString()).substring(0, 16);
    }

    private static List<String> ids(Caller.Person person, boolean byPassword) {
        var project = person.project();
        var ids = new ArrayList<>(List.of(ofAll(project), of(project, person.name())));
        if (!byPassword) person.roles().forEach(role -> ids.add(ofRole(project, role)));
        return ids;
    }

    private static String ofAll(ProjectId project) {
        return id("all", project, "");
    }

    private static String of(ProjectId project, String person) {
        return id("person", project, person);
    }

    private static String ofUnsaid(ProjectId project) {
        return id("unsaid", project, "");
    }

    private static String ofRole(ProjectId project, String role) {
        return id("role", project, role);
    }

    private static String id(String kind, ProjectId project, String person) {
        return digest("%s %d %s %s".formatted(kind, project.value().length(), project, person));
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("SHA-256 is missing from this JDK", e);
        }
    }
}
