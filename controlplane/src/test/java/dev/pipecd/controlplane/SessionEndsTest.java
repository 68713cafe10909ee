// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.HERE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.project.ProjectOffice;
import dev.pipecd.controlplane.project.Vouchers;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.audit.AuditServiceGrpc;
import dev.pipecd.wire.audit.ListAuditEntriesRequest;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectRBACConfig;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.session.EndSessionsRequest;
import dev.pipecd.wire.session.SessionServiceGrpc;
import dev.pipecd.wire.web.AddProjectUserGroupRequest;
import dev.pipecd.wire.web.DeleteProjectUserGroupRequest;
import dev.pipecd.wire.web.DisableStaticAdminRequest;
import dev.pipecd.wire.web.EnableStaticAdminRequest;
import dev.pipecd.wire.web.UpdateProjectRBACConfigRequest;
import dev.pipecd.wire.web.UpdateProjectSSOConfigRequest;
import dev.pipecd.wire.web.UpdateProjectStaticAdminRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sessions that somebody else ends.
final class SessionEndsTest {
    private static final byte[] KEY = new byte[32];
    private static final ProjectId STORED = new ProjectId("stored");

    @TempDir private Path folder;
    private World world;
    private Sessions sessions;
    private ProjectOffice office;
    private String boss;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        var store = world.features.people().sessions();
        sessions = new Sessions(KEY, world.features.projects(), store, world.now::get);
        office =
                new ProjectOffice(
                        world.features.projects(),
                        Set.of("hub", "other"),
                        _ -> 0,
                        new SessionEnds(store, world.now::get));
        boss = office.create("olga", new ProjectOffice.Wish("stored", "", "", false)).username();
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void anAdministratorEndsTheSessionsOfEverybodyAndTheTrailTellsIt() {
        var before = sessions.open(person(HERE, "admin"));
        var elsewhere = sessions.open(person(World.ELSEWHERE, "admin"));
        later();

        var _ = session("Admin").endSessions(EndSessionsRequest.getDefaultInstance());

        assertThat(sessions.find(before)).isEmpty();
        assertThat(sessions.find(elsewhere)).isPresent();
        later();
        assertThat(sessions.find(sessions.open(person(HERE, "admin")))).isPresent();
        var told =
                AuditServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")))
                        .listAuditEntries(ListAuditEntriesRequest.getDefaultInstance())
                        .getEntries(1);
        assertThat(told.getActor()).isEqualTo("ann");
        assertThat(told.getWhat()).isEqualTo("ended the sessions of everybody");
    }

    @Test
    void aSessionOfTheSameSecondIsEndedToo() {
        var before = sessions.open(person(HERE, "admin"));
        world.now.updateAndGet(now -> now.plusMillis(900));

        var _ = session("Admin").endSessions(EndSessionsRequest.getDefaultInstance());

        assertThat(sessions.find(before)).isEmpty();
    }

    @Test
    void aSessionIsEndedAlsoWhenTheClockItWasOpenedByIsAhead() {
        var store = world.features.people().sessions();
        var ahead =
                new Sessions(
                        KEY,
                        world.features.projects(),
                        store,
                        () -> world.now.get().plusSeconds(30));
        var before = ahead.open(person(HERE, "admin"));
        assertThat(sessions.find(before)).isPresent();

        var _ = session("Admin").endSessions(EndSessionsRequest.getDefaultInstance());

        assertThat(sessions.find(before)).isEmpty();
        later();
        assertThat(sessions.find(ahead.open(person(HERE, "admin")))).isPresent();
        assertThat(sessions.find(sessions.open(person(HERE, "admin")))).isPresent();
        assertThat(sessions.find(before)).isEmpty();
    }

    @Test
    void theSessionsOfOnePersonAreEndedAndNoOthers() {
        var admin = sessions.open(person(HERE, "admin"));
        later();

        var _ =
                session("Admin")
                        .endSessions(EndSessionsRequest.newBuilder().setSubject("bob").build());
        assertThat(sessions.find(admin)).isPresent();
        var _ =
                session("Admin")
                        .endSessions(EndSessionsRequest.newBuilder().setSubject("admin").build());

        assertThat(sessions.find(admin)).isEmpty();
    }

    @Test
    void aNameThatNobodyCanHaveIsRefused() {
        assertThatThrownBy(() ->
                        session("Admin")
                                .endSessions(
                                        EndSessionsRequest.newBuilder()
                                                .setSubject("x".repeat(201))
                                                .build()))
                .hasMessageStartingWith(
                        "INVALID_ARGUMENT: subject: 201 characters (expected: at most 200)");
    }

    @Test
    void whoMayNotChangeTheProjectEndsNothing() {
        var admin = sessions.open(person(HERE, "admin"));
        later();

        assertThatThrownBy(() ->
                        session("Editor").endSessions(EndSessionsRequest.getDefaultInstance()))
                .hasMessageStartingWith("PERMISSION_DENIED");
        assertThat(sessions.find(admin)).isPresent();
    }

    /// Its token does not say whether it was opened with the password.
    @Test
    void anotherPasswordEndsSessionsOfThePublicServer() throws Exception {
        var theirs = ofThePublicServer(boss);
        assertThat(sessions.find(theirs)).isPresent();
        later();

        var _ =
                stored().updateProjectStaticAdmin(
                                UpdateProjectStaticAdminRequest.newBuilder()
                                        .setUsername(boss)
                                        .setPassword("another")
                                        .build());

        assertThat(sessions.find(theirs)).isEmpty();
    }

    @Test
    void aPasswordThatTheOwnerResetsEndsSessionsOfThePublicServer() throws Exception {
        var theirs = ofThePublicServer(boss);
        later();

        var _ = office.resetPassword("olga", STORED);

        assertThat(sessions.find(theirs)).isEmpty();
    }

    @Test
    void whoWasSwitchedOffAndOnLogsInAgain() throws Exception {
        var theirs = ofThePublicServer(boss);
        later();

        var _ = stored().disableStaticAdmin(DisableStaticAdminRequest.getDefaultInstance());
        var _ = stored().enableStaticAdmin(EnableStaticAdminRequest.getDefaultInstance());

        assertThat(sessions.find(theirs)).isEmpty();
    }

    @Test
    void aGroupThatIsDeletedTakesTheSessionsOfItsRoleWithIt() {
        letOthersIn();
        var web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")));
        var _ =
                web.addProjectUserGroup(
                        AddProjectUserGroupRequest.newBuilder()
                                .setSsoGroup("org/dev")
                                .setRole("Editor")
                                .build());
        var editor = fromElsewhere("Editor");
        var viewer = fromElsewhere("Viewer");
        var admin = sessions.open(new Caller.Person(HERE, "admin", Set.of("Admin", "Editor")));
        later();
        assertThat(sessions.find(editor)).isPresent();

        var _ =
                web.deleteProjectUserGroup(
                        DeleteProjectUserGroupRequest.newBuilder().setSsoGroup("org/dev").build());

        assertThat(sessions.find(editor)).isEmpty();
        assertThat(sessions.find(viewer)).isPresent();
        assertThat(sessions.find(admin)).isPresent();
        later();
        assertThat(sessions.find(fromElsewhere("Editor"))).isPresent();
    }

    @Test
    void aBuiltInRoleThatGoesToAnotherGroupEndsTheSessionsThatCarryIt() {
        letOthersIn();
        oldGroups("org/boss");
        var admin = fromElsewhere("Admin");
        var editor = fromElsewhere("Editor");
        later();

        oldGroups("org/boss");
        assertThat(sessions.find(admin)).isPresent();
        oldGroups("org/other");

        assertThat(sessions.find(admin)).isEmpty();
        assertThat(sessions.find(editor)).isPresent();
    }

    @Test
    void strangersAreOutWhenTheyMayNotLookAnyMore() throws Exception {
        office.change("olga", new ProjectOffice.Wish("stored", "", "hub", true));
        var stranger = fromElsewhere(STORED, "Viewer", Vouchers::ofStrangers);
        var member = fromElsewhere(STORED, "Viewer", Vouchers::ofMembers);
        var theirs = ofThePublicServer("bob");
        assertThat(sessions.find(stranger)).isPresent();

        office.change("olga", new ProjectOffice.Wish("stored", "ours", "hub", true));
        assertThat(sessions.find(theirs)).isPresent();
        office.change("olga", new ProjectOffice.Wish("stored", "ours", "hub", false));

        assertThat(sessions.find(stranger)).isEmpty();
        assertThat(sessions.find(member)).isPresent();
        assertThat(sessions.find(theirs)).isEmpty();
    }

    @Test
    void whoCameOnTheWordOfOneIsOutWhenTheProjectGoesByAnothers() throws Exception {
        office.change("olga", new ProjectOffice.Wish("stored", "", "hub", false));
        var before = fromElsewhere(STORED, "Editor", Vouchers::ofMembers);
        var theirs = ofThePublicServer("bob");
        var admin = sessions.open(person(STORED, boss));
        assertThat(sessions.find(before)).isPresent();

        office.change("olga", new ProjectOffice.Wish("stored", "", "other", false));

        assertThat(sessions.find(before)).isEmpty();
        assertThat(sessions.find(theirs)).isEmpty();
        assertThat(sessions.find(admin)).isPresent();
        assertThat(sessions.find(fromElsewhere(STORED, "Editor", Vouchers::ofMembers))).isPresent();
    }

    @Test
    void otherSettingsOfAProjectsOwnEndTheSessionsOpenedByTheOldOnes() {
        letOthersIn();
        var editor = fromElsewhere("Editor");
        var hub =
                ProjectSSOConfig.GitHub.newBuilder()
                        .setClientId("redacted")
                        .setClientSecret("another");

        own(hub.setProxyUrl("http://proxy.example:3128"));
        assertThat(sessions.find(editor)).isPresent();
        own(hub.setBaseUrl("https://hub.example"));

        assertThat(sessions.find(editor)).isEmpty();
        assertThat(sessions.find(fromElsewhere("Editor"))).isPresent();
    }

    private void oldGroups(String admin) {
        var _ =
                WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")))
                        .updateProjectRBACConfig(
                                UpdateProjectRBACConfigRequest.newBuilder()
                                        .setRbac(
                                                ProjectRBACConfig.newBuilder()
                                                        .setAdmin(admin)
                                                        .setEditor("org/dev")
                                                        .setViewer("org/all"))
                                        .build());
    }

    private void letOthersIn() {
        own(ProjectSSOConfig.GitHub.newBuilder().setClientId("id").setClientSecret("secret"));
    }

    private void own(ProjectSSOConfig.GitHub.Builder hub) {
        var _ =
                WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Admin")))
                        .updateProjectSSOConfig(
                                UpdateProjectSSOConfigRequest.newBuilder()
                                        .setSso(ProjectSSOConfig.newBuilder().setGithub(hub))
                                        .build());
    }

    private String fromElsewhere(String role) {
        return fromElsewhere(HERE, role, Vouchers::ofMembers);
    }

    private String fromElsewhere(ProjectId id, String role, Function<Project, String> voucher) {
        var project = world.features.projects().find(id).orElseThrow();
        var bob = new Caller.Person(id, "bob " + role, Set.of(role));
        return sessions.open(
                new Sessions.Visitor(bob, "", Duration.ofDays(7), voucher.apply(project)));
    }

    private void later() {
        world.now.updateAndGet(now -> now.plusSeconds(1));
    }

    private static Caller.Person person(ProjectId project, String name) {
        return new Caller.Person(project, name, Set.of("Admin"));
    }

    private SessionServiceGrpc.SessionServiceBlockingStub session(String role) {
        return SessionServiceGrpc.newBlockingStub(world.as(World.person(HERE, role)));
    }

    private WebServiceGrpc.WebServiceBlockingStub stored() {
        return WebServiceGrpc.newBlockingStub(world.as(World.person(STORED, "Admin")));
    }

    private String ofThePublicServer(String name) throws Exception {
        var base64 = Base64.getUrlEncoder().withoutPadding();
        var now = world.now.get().getEpochSecond();
        var claims =
                "{\"iss\":\"PipeCD\",\"sub\":\"%s\",\"exp\":%d,\"nbf\":%d,\"iat\":%d,\"role\":{\"project_id\":\"stored\",\"project_rbac_roles\":[\"Admin\"]}}"
                        .formatted(name, now + 3600, now, now);
        var signed =
                base64.encodeToString("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".getBytes(UTF_8))
                        + "."
                        + base64.encodeToString(claims.getBytes(UTF_8));
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        return signed + "." + base64.encodeToString(mac.doFinal(signed.getBytes(UTF_8)));
    }
}
