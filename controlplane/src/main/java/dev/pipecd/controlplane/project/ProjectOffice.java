// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.KeyMatches;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.access.RandomText;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/// What only the owner of the whole installation does: makes and deletes projects, and lets the
/// administrator of one in again. Whoever calls has made sure that it is the owner.
public final class ProjectOffice {
    /// What the public tables hold and file names may be made of.
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,49}");

    private static final int LONGEST_DESCRIPTION = 1000;
    private static final int USERNAME_LENGTH = 10;
    private static final int PASSWORD_LENGTH = 30;

    private final Projects projects;
    private final Set<String> sharedSso;
    private final ToIntFunction<ProjectId> agents;
    private final SessionEnds sessions;

    /// @param sharedSso the ways to log in elsewhere that projects may share, by name
    /// @param agents how many of a project are enabled
    public ProjectOffice(
            Projects projects,
            Set<String> sharedSso,
            ToIntFunction<ProjectId> agents,
            SessionEnds sessions) {
        this.projects = projects;
        this.sharedSso = Set.copyOf(sharedSso);
        this.agents = agents;
        this.sessions = sessions;
    }

    public List<Project> list() {
        return projects.all().stream().sorted(Comparator.comparing(Project::getId)).toList();
    }

    public List<String> sharedSso() {
        return sharedSso.stream().sorted().toList();
    }

    /// Of the file, and not to be changed here.
    public boolean isOfFile(ProjectId id) {
        return projects.isOfFile(id);
    }

    public Admin create(String owner, Wish wish) {
        if (!ID.matcher(wish.id()).matches())
            throw invalid(
                    "ID: \"%s\" (expected: letters, digits, '.', '_' or '-', at most 50)"
                            .formatted(wish.id()),
                    "Choose a short name; it cannot be changed.");
        requireFitting(wish);
        var admin = new Admin(RandomText.of(USERNAME_LENGTH), RandomText.of(PASSWORD_LENGTH));
        projects.add(
                        Project.newBuilder()
                                .setId(wish.id())
                                .setDesc(wish.description())
                                .setSharedSsoName(wish.sharedSso())
                                .setAllowStrayAsViewer(wish.allowStrayAsViewer())
                                .setStaticAdmin(admin.stored())
                                .build(),
                        owner)
                .ifPresent(twin -> {
                    throw new Problem(
                            Problem.Code.ALREADY_EXISTS,
                            "ID: %s exists (expected: a new one)".formatted(twin.getId()),
                            "Choose another id.");
                });
        return admin;
    }

    private void requireFitting(Wish wish) {
        if (wish.description().length() > LONGEST_DESCRIPTION)
            throw invalid(
                    "Description: %d characters (expected: at most %d)"
                            .formatted(wish.description().length(), LONGEST_DESCRIPTION),
                    "Shorten it.");
        if (!wish.sharedSso().isEmpty() && !sharedSso.contains(wish.sharedSso()))
            throw invalid(
                    "SharedSSO: \"%s\" (expected: one of %s)"
                            .formatted(wish.sharedSso(), sharedSso()),
                    "Name one of `sharedSSOConfigs` of the configuration, or none.");
    }

    /// What `wish` says, under the id it has.
    public void change(String owner, Wish wish) {
        var id = new ProjectId(wish.id());
        var before = stored(id);
        requireFitting(wish);
        if (Vouchers.lost(before, wish.of(before))) sessions.endUnsaid(id, owner);
        projects.update(
                id,
                owner,
                stored -> {
                    var changed = wish.of(stored);
                    return changed.equals(stored)
                            ? new Edit.Unchanged<>()
                            : new Edit.Changed<>(changed, "edited");
                });
    }

    /// One that is there and not of the file.
    public Project stored(ProjectId id) {
        var project =
                projects.find(id).orElseThrow(() -> Ownership.notFound("project", id.value()));
        if (projects.isOfFile(id))
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "project: %s is of the configuration file (expected: one that is stored)"
                            .formatted(id),
                    "Change `projects` in the control plane's configuration file.");
        return project;
    }

    /// The administrator keeps the name and gets a new password; one that was switched off is let
    /// in again.
    public Admin resetPassword(String owner, ProjectId id) {
        var admin =
                new Admin(
                        stored(id).getStaticAdmin().getUsername(), RandomText.of(PASSWORD_LENGTH));
        sessions.endUnsaid(id, owner);
        projects.update(
                id,
                owner,
                stored ->
                        new Edit.Changed<>(
                                stored.toBuilder()
                                        .setStaticAdmin(admin.stored())
                                        .setStaticAdminDisabled(false)
                                        .build(),
                                "static admin's password reset"));
        return admin;
    }

    /// Nobody comes in any more. What belongs to it stays stored, and is there again for a project
    /// that is added under the same id.
    public void delete(String owner, ProjectId id) {
        var _ = stored(id);
        var enabled = agents.applyAsInt(id);
        if (enabled > 0)
            throw new Problem(
                    Problem.Code.PRECONDITION_FAILED,
                    "project: %s has %d enabled agents (expected: none)".formatted(id, enabled),
                    "Stop and disable them first, so that no deployment is cut off.");
        projects.update(
                id,
                owner,
                stored ->
                        new Edit.Changed<>(
                                Project.newBuilder()
                                        .setId(stored.getId())
                                        .setCreatedAt(stored.getCreatedAt())
                                        .build(),
                                "deleted"));
    }

    private static Problem invalid(String what, String advice) {
        return new Problem(Problem.Code.REQUEST_INVALID, what, advice);
    }

    /// What a project shall be.
    ///
    /// @param sharedSso may be empty
    public record Wish(
            String id, String description, String sharedSso, boolean allowStrayAsViewer) {
        private Project of(Project project) {
            return project.toBuilder()
                    .setDesc(description)
                    .setSharedSsoName(sharedSso)
                    .setAllowStrayAsViewer(allowStrayAsViewer)
                    .build();
        }
    }

    /// An administrator; the password is shown this once.
    public record Admin(String username, String password) {
        private ProjectStaticUser stored() {
            return ProjectStaticUser.newBuilder()
                    .setUsername(username)
                    .setPasswordHash(KeyMatches.hash(password))
                    .build();
        }

        @Override
        public String toString() {
            return "Admin[" + username + "]";
        }
    }
}
