// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import io.grpc.Context;
import java.util.Set;

/// Who is asking. Every feature takes one, checks it first, and denies by default.
public sealed interface Caller {
    /// Set by the doors' authentication before a handler runs.
    Context.Key<Caller> CURRENT = Context.key("caller");

    ProjectId project();

    /// What the audit trail and commands name as the one who did it.
    String name();

    boolean may(Resource resource, Action action);

    /// A logged-in person.
    record Person(ProjectId project, String name, Set<String> roles) implements Caller {
        public Person {
            roles = Set.copyOf(roles);
        }

        @Override
        public boolean may(Resource resource, Action action) {
            return roles.stream()
                    .anyMatch(role ->
                            BuiltInRole.named(role).stream()
                                    .anyMatch(r -> r.allows(resource, action)));
        }
    }

    /// The holder of an API key.
    record KeyHolder(ProjectId project, String keyId, String name, boolean mayWrite)
            implements Caller {
        @Override
        public boolean may(Resource resource, Action action) {
            return mayWrite || action == Action.GET || action == Action.LIST;
        }
    }

    /// An agent. What it may touch is decided by what belongs to it, not by roles.
    record Agent(ProjectId project, PipedId piped) implements Caller {
        @Override
        public String name() {
            return piped.value();
        }

        @Override
        public boolean may(Resource resource, Action action) {
            return false;
        }
    }

    default void require(Resource resource, Action action) {
        if (!may(resource, action))
            throw new Problem(
                    Problem.Code.PERMISSION_DENIED,
                    "Permission Denied: %s %s (expected: a role that allows it)"
                            .formatted(action, resource)
                            .toLowerCase(java.util.Locale.ROOT)
                            .replaceFirst("permission denied", "Permission Denied"),
                    "Ask an administrator of project " + project() + " for the role.");
    }

    /// The caller of the current gRPC call; a call that reached a handler without one is refused.
    static Caller current() {
        var caller = CURRENT.get();
        if (caller == null)
            throw new Problem(
                    Problem.Code.UNAUTHENTICATED,
                    "Unauthenticated",
                    "Log in, or send credentials.");
        return caller;
    }

    /// The agent of the current call.
    static Agent currentAgent() {
        if (current() instanceof Agent agent) return agent;
        throw new Problem(
                Problem.Code.UNAUTHENTICATED, "Unauthenticated", "Only an agent may call this.");
    }

    /// The logged-in person of the current call.
    static Person currentPerson() {
        if (current() instanceof Person person) return person;
        throw new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Only a logged-in person may call this.");
    }

    /// The holder of an API key of the current call.
    static KeyHolder currentKeyHolder() {
        if (current() instanceof KeyHolder holder) return holder;
        throw new Problem(
                Problem.Code.UNAUTHENTICATED,
                "Unauthenticated",
                "Only the holder of an API key may call this.");
    }

    /// What is acted upon, as the public roles name it.
    enum Resource {
        APPLICATION,
        DEPLOYMENT,
        EVENT,
        PIPED,
        DEPLOYMENT_CHAIN,
        PROJECT,
        API_KEY,
        INSIGHT
    }

    enum Action {
        GET,
        LIST,
        CREATE,
        UPDATE,
        DELETE
    }
}
