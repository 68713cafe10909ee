// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import dev.pipecd.controlplane.access.BuiltInRole;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.OwnerLogin;
import dev.pipecd.controlplane.access.OwnerLogin.Visit;
import dev.pipecd.controlplane.access.Ownership;
import dev.pipecd.controlplane.audit.AuditEntry;
import dev.pipecd.controlplane.audit.AuditFilter;
import dev.pipecd.controlplane.audit.AuditLog;
import dev.pipecd.controlplane.project.ProjectOffice;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/// What the owner sees and does: the projects, a new one, a new password for an administrator, and
/// who did what.
public final class ProjectPages {
    private static final int DEEDS = 100;

    private final ProjectOffice office;
    private final AuditLog audit;

    public ProjectPages(ProjectOffice office, AuditLog audit) {
        this.office = office;
        this.audit = audit;
    }

    HttpResponse start(Visit visit) {
        return Html.of(
                        """
                        <ul><li><a href="/projects">Projects</a></li>
                        <li><a href="/projects/add">Add a project</a></li>
                        <li><a href="/audit">Who came in</a></li></ul>
                        <form method="post" action="/logout"><input type="hidden" name="form" value="%s">
                        <button>Log out</button></form>
                        """,
                        visit.formToken())
                .answer(HttpStatus.OK, "Owner's pages");
    }

    HttpResponse list() {
        var rows = office.list().stream().map(this::row).toList();
        return Html.of(
                        """
                        <table><tr><th>ID</th><th>Description</th><th>Static admin</th><th>Shared SSO</th><th>Created</th><th></th></tr>
                        %s</table><p><a href="/projects/add">Add a project</a></p>
                        """,
                        Html.all(rows))
                .answer(HttpStatus.OK, "Projects");
    }

    private Html row(Project project) {
        var id = project.getId();
        var moves =
                office.isOfFile(new ProjectId(id))
                        ? Html.of("of the configuration file")
                        : Html.of(
                                "<a href=\"/projects/edit?ID=%s\">edit</a> · <a"
                                        + " href=\"/projects/reset-password?ID=%s\">reset password</a> · <a"
                                        + " href=\"/projects/delete?ID=%s\">delete</a>",
                                id, id, id);
        return Html.of(
                "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s · <a"
                        + " href=\"/audit?ID=%s\">deeds</a></td></tr>\n",
                id,
                project.getDesc(),
                project.getStaticAdminDisabled() ? "disabled" : "enabled",
                project.getSharedSsoName(),
                Instant.ofEpochSecond(project.getCreatedAt()),
                moves,
                id);
    }

    HttpResponse addForm(QueryParams given, Visit visit) {
        return Html.of(
                        """
                        <form method="post" action="/projects/add"><input type="hidden" name="form" value="%s">
                        <label>ID <input name="ID" required maxlength="50"></label>
                        <label>Description <input name="Description" maxlength="1000"></label>
                        <label>Shared SSO <select name="SharedSSO"><option></option>%s</select></label>
                        <label><input type="checkbox" name="AllowStrayAsViewer"> people without any known group may look</label>
                        <button>Add</button></form>
                        """,
                        visit.formToken(), ways(""))
                .answer(HttpStatus.OK, "Add a project");
    }

    private Html ways(String chosen) {
        return Html.all(
                office.sharedSso().stream()
                        .map(name ->
                                name.equals(chosen)
                                        ? Html.of("<option selected>%s</option>", name)
                                        : Html.of("<option>%s</option>", name))
                        .toList());
    }

    HttpResponse add(QueryParams given, Visit visit) {
        var wish = wish(given);
        return shown(wish.id(), office.create(visit.actor(), wish));
    }

    private static ProjectOffice.Wish wish(QueryParams given) {
        return new ProjectOffice.Wish(
                given.get("ID", "").strip(),
                given.get("Description", ""),
                given.get("SharedSSO", ""),
                given.get("AllowStrayAsViewer", "").equals("on"));
    }

    HttpResponse editForm(QueryParams given, Visit visit) {
        var project = office.stored(named(given));
        return Html.of(
                        """
                        <form method="post" action="/projects/edit"><input type="hidden" name="form" value="%s">
                        <input type="hidden" name="ID" value="%s">
                        <label>Description <input name="Description" maxlength="1000" value="%s"></label>
                        <label>Shared SSO <select name="SharedSSO"><option></option>%s</select></label>
                        <label><input type="checkbox" name="AllowStrayAsViewer"%s> people without any known group may look</label>
                        <button>Save</button></form>
                        """,
                        visit.formToken(),
                        project.getId(),
                        project.getDesc(),
                        ways(project.getSharedSsoName()),
                        Html.of(project.getAllowStrayAsViewer() ? " checked" : ""))
                .answer(HttpStatus.OK, "Edit " + project.getId());
    }

    private static ProjectId named(QueryParams given) {
        var id = given.get("ID", "");
        if (id.isBlank()) throw Ownership.notFound("project", id);
        return new ProjectId(id);
    }

    HttpResponse edit(QueryParams given, Visit visit) {
        var _ = named(given);
        office.change(visit.actor(), wish(given));
        return list();
    }

    HttpResponse resetForm(QueryParams given, Visit visit) {
        var id = given.get("ID", "");
        return Html.of(
                        """
                        <p>The static admin of <code>%s</code> gets a new password; the old one and all sessions by it end at once.</p>
                        <form method="post" action="/projects/reset-password">%s
                        <button>Reset</button></form>
                        """,
                        id, confirmation(id, visit))
                .answer(HttpStatus.OK, "Reset password");
    }

    private static Html confirmation(String id, Visit visit) {
        return Html.of(
                """
                <input type="hidden" name="form" value="%s"><input type="hidden" name="ID" value="%s">
                <label>Type the project's ID to confirm <input name="confirmationID" required autocomplete="off"></label>
                """,
                visit.formToken(), id);
    }

    HttpResponse reset(QueryParams given, Visit visit) {
        var id = confirmed(given);
        return shown(id.value(), office.resetPassword(visit.actor(), id));
    }

    private static ProjectId confirmed(QueryParams given) {
        var id = given.get("ID", "");
        if (id.isBlank() || !id.equals(given.get("confirmationID", "")))
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "confirmationID: not the ID (expected: %s)".formatted(id),
                    "Type the ID of the project exactly.");
        return new ProjectId(id);
    }

    HttpResponse deleteForm(QueryParams given, Visit visit) {
        var id = office.stored(named(given)).getId();
        return Html.of(
                        """
                        <p>Nobody comes in to <code>%s</code> any more, neither people nor agents. What it has deployed stays stored, and is there again if a project with this ID is added.</p>
                        <form method="post" action="/projects/delete">%s
                        <button>Delete</button></form>
                        """,
                        id, confirmation(id, visit))
                .answer(HttpStatus.OK, "Delete a project");
    }

    HttpResponse delete(QueryParams given, Visit visit) {
        office.delete(visit.actor(), confirmed(given));
        return list();
    }

    private static HttpResponse shown(String id, ProjectOffice.Admin admin) {
        return Html.of(
                        """
                        <p>Keep this now: it is not shown again.</p>
                        <table><tr><th>Project</th><td><code>%s</code></td></tr>
                        <tr><th>Username</th><td><code>%s</code></td></tr>
                        <tr><th>Password</th><td><code>%s</code></td></tr></table>
                        <p><a href="/projects">Projects</a></p>
                        """,
                        id, admin.username(), admin.password())
                .answer(HttpStatus.OK, "Static admin");
    }

    /// Of a project; without one, who came in here.
    HttpResponse deeds(QueryParams given, Visit visit) {
        var id = given.get("ID", "");
        var project = id.isBlank() ? OwnerLogin.PLACE : new ProjectId(id);
        var owner =
                new Caller.Person(
                        project, visit.person().name(), Set.of(BuiltInRole.ADMIN.roleName()));
        var kind = id.isBlank() ? "" : "PROJECT";
        var filter = new AuditFilter(project, "", kind, "", List.of(), 0, 0);
        var rows =
                audit.page(owner, filter, "", DEEDS).items().stream()
                        .map(ProjectPages::deed)
                        .toList();
        return Html.of(
                        "<table><tr><th>When</th><th>Who</th><th>From</th><th>What</th></tr>%s</table>",
                        Html.all(rows))
                .answer(HttpStatus.OK, id.isBlank() ? "Who came in" : "Deeds of " + id);
    }

    private static Html deed(AuditEntry entry) {
        return Html.of(
                "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                entry.change().at(),
                entry.change().actor(),
                entry.origin().address(),
                entry.change().what());
    }
}
