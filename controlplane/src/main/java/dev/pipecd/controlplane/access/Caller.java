// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import io.grpc.Context;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// Who is asking. Every feature takes one, checks it first, and denies by default.
public sealed interface Caller {
    /// Set by the doors' authentication before a handler runs.
    Context.Key<Caller> CURRENT = Context.key("caller");

    ProjectId project();

    /// What the audit trail and commands name as the one who did it.
    String name();

    /// The sets of labels this caller is limited to: one of them must be carried whole. The empty
    /// set is carried by everything; without any set the caller may do nothing.
    List<Map<String, String>> within(Resource resource, Action action);

    /// A logged-in person.
    record Person(ProjectId project, String name, Set<String> roles, Set<Permission> permissions)
            implements Caller {
        public Person {
            roles = Set.copyOf(roles);
            permissions = Set.copyOf(permissions);
        }

        /// With what the built-in ones of the roles allow.
        public Person(ProjectId project, String name, Set<String> roles) {
            this(project, name, roles, BuiltInRole.permissions(roles));
        }

        @Override
        public List<Map<String, String>> within(Resource resource, Action action) {
            return permissions.stream()
                    .filter(p -> p.resource() == resource && p.action() == action)
                    .map(Permission::labels)
                    .toList();
        }
    }

    /// The holder of an API key. Named as a key, so that one called like a person is not taken for
    /// them where a stage names its approvers, nor in the audit log.
    record KeyHolder(ProjectId project, String keyId, String keyName, boolean mayWrite)
            implements Caller {
        @Override
        public String name() {
            return "key:" + keyName;
        }

        @Override
        public List<Map<String, String>> within(Resource resource, Action action) {
            return mayWrite || action == Action.GET || action == Action.LIST
                    ? List.of(Map.of())
                    : List.of();
        }
    }

    /// An agent. What it may touch is decided by what belongs to it, not by roles.
    record Agent(ProjectId project, PipedId piped) implements Caller {
        @Override
        public String name() {
            return piped.value();
        }

        @Override
        public List<Map<String, String>> within(Resource resource, Action action) {
            return List.of();
        }
    }

    /// Whether this may be done to a thing with these labels.
    default boolean may(Resource resource, Action action, Map<String, String> labels) {
        return within(resource, action).stream()
                .anyMatch(set -> labels.entrySet().containsAll(set.entrySet()));
    }

    /// Whether this may be done whatever the labels are.
    default boolean may(Resource resource, Action action) {
        return may(resource, action, Map.of());
    }

    /// For what has no labels, and for those who are not limited by them.
    default void require(Resource resource, Action action) {
        require(resource, action, Map.of());
    }

    default void require(Resource resource, Action action, Map<String, String> labels) {
        if (!may(resource, action, labels)) throw denied(resource, action);
    }

    /// Before the thing is looked up: refuses those who may do this to nothing at all.
    default void requireSome(Resource resource, Action action) {
        if (within(resource, action).isEmpty()) throw denied(resource, action);
    }

    private Problem denied(Resource resource, Action action) {
        return new Problem(
                Problem.Code.PERMISSION_DENIED,
                "Permission Denied: %s (expected: a role that allows it)"
                        .formatted((action + " " + resource).toLowerCase(Locale.ROOT)),
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
