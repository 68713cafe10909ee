// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.ControlPlaneConfig.Reach;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.project.OwnProject;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.controlplane.project.Roles;
import dev.pipecd.controlplane.project.SignOn;
import dev.pipecd.controlplane.project.SsoAddresses;
import dev.pipecd.controlplane.project.StaticAdmins;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.ProjectTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.model.ProjectStaticUser;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Projects of the configuration file and projects that are stored.
class ProjectsTest {
    private static final ProjectId STORED = new ProjectId("stored");
    private static final String CANARY = "canary-7f3a";
    private static final Caller ADMIN = new Caller.Person(STORED, "ann", Set.of("Admin"));

    private static final SessionEnds ENDS =
            new SessionEnds(new InMemorySessions(), () -> Instant.EPOCH);

    @TempDir Path folder;
    private Database database;
    private ProjectTable table;

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("pipecd.db"));
        table =
                new ProjectTable(
                        database, new Trail(database), () -> Instant.parse("2026-11-15T12:00:00Z"));
        var _ = table.add(project("stored", "boss"), "ops");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void theAdministratorOfAStoredProjectIsChangedSwitchedOffAndOn() {
        var projects = projects();
        var admins = new StaticAdmins(projects, ENDS);
        admins.update(ADMIN, "chief", "new password");

        assertThat(projects.staticAdmin(STORED).orElseThrow().username()).isEqualTo("chief");
        admins.disable(ADMIN);
        assertThat(projects.staticAdmin(STORED)).isEmpty();
        admins.enable(ADMIN);
        assertThat(projects.staticAdmin(STORED)).isPresent();
    }

    @Test
    void theAdministratorOfTheFileIsChangedInTheFile() {
        var here = new Caller.Person(HERE, "ann", Set.of("Admin"));

        assertThatThrownBy(() ->
                        new StaticAdmins(projects(project("here", "boss")), ENDS)
                                .update(here, "x", "y"))
                .hasMessage(
                        "static admin: of the configuration file (expected: one that is stored)");
    }

    @Test
    void whatPeopleSetForAProjectOfTheFileStaysAndGoesWithIt() {
        var here = new Caller.Person(HERE, "ann", Set.of("Admin"));
        new Roles(projects(project("here", "boss")), ENDS).addGroup(here, "org/dev", "Editor");

        var again = projects(project("here", "other"));
        assertThat(again.find(HERE).orElseThrow().getUserGroupsList()).hasSize(1);
        assertThat(again.staticAdmin(HERE).orElseThrow().username()).isEqualTo("other");
        assertThat(projects().find(HERE)).isEmpty();
        assertThat(projects().all()).extracting(Project::getId).containsExactly("stored");
    }

    @Test
    void aPasswordThatIsLongerThanWhatIsComparedIsRefused() {
        assertThatThrownBy(
                        () -> new StaticAdmins(projects(), ENDS).update(ADMIN, "x", "p".repeat(73)))
                .hasMessage("password: 73 bytes (expected: at most 72)");
    }

    @Test
    void signOnCanBeSavedWithoutALifeOfSessionsAndNothingSecretIsStoredOpenOrTold() {
        var projects = projects();
        var signOn = signOn(projects, Reach.ANY);
        signOn.set(ADMIN, oidc(CANARY));

        assertThat(table.find(STORED).orElseThrow().toString()).doesNotContain(CANARY);
        assertThat(new OwnProject(projects).get(ADMIN).toString()).doesNotContain(CANARY);
        assertThat(trail()).doesNotContain(CANARY).contains("single sign-on changed");
        assertThat(signOn.opened(projects.find(STORED).orElseThrow().getSso()).getOidc())
                .isEqualTo(oidc(CANARY).getOidc());
    }

    @Test
    void aFormThatSendsBackWhatWasRedactedKeepsTheSecret() {
        var projects = projects();
        var signOn = signOn(projects, Reach.ANY);
        signOn.set(ADMIN, oidc(CANARY));
        signOn.set(ADMIN, new OwnProject(projects).get(ADMIN).getSso());

        assertThat(
                        signOn.opened(projects.find(STORED).orElseThrow().getSso())
                                .getOidc()
                                .getClientSecret())
                .isEqualTo(CANARY);
    }

    @Test
    void theLoginOfAProxyIsNotToldAndStaysWithItsAddress() {
        var projects = projects();
        var signOn = signOn(projects, Reach.ANY);
        var proxy = "http://u:" + CANARY + "@proxy.example:3128";
        signOn.set(ADMIN, through(proxy));

        var told = new OwnProject(projects).get(ADMIN).getSso();
        assertThat(told.getOidc().getProxyUrl()).isEqualTo("http://redacted@proxy.example:3128");
        assertThat(trail()).doesNotContain(CANARY).contains("http://redacted@proxy.example:3128");
        signOn.set(ADMIN, told);
        assertThat(projects.find(STORED).orElseThrow().getSso().getOidc().getProxyUrl())
                .isEqualTo(proxy);
        assertThatThrownBy(() -> signOn.set(ADMIN, through("http://redacted@other.example:3128")))
                .hasMessage(
                        "proxy_url: http://redacted@other.example:3128 (expected: its user and"
                                + " password again where it changes)");
        signOn.set(ADMIN, through("http://other.example:3128"));
        assertThat(new OwnProject(projects).get(ADMIN).getSso().getOidc().getProxyUrl())
                .isEqualTo("http://other.example:3128");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://u:p@proxy.example", "socks5://proxy.example", "proxy:3128"})
    void aProxyThatIsNotSpokenToInHttpIsRefused(String proxy) {
        var signOn = signOn(projects(), Reach.ANY);

        assertThatThrownBy(() -> signOn.set(ADMIN, through(proxy)))
                .hasMessage(
                        "proxy_url: of another kind (expected: http://HOST:PORT, with"
                                + " USER:PASSWORD@ before HOST if it wants them)");
    }

    private static ProjectSSOConfig through(String proxy) {
        var oidc = oidc("x");
        return oidc.toBuilder().setOidc(oidc.getOidc().toBuilder().setProxyUrl(proxy)).build();
    }

    @Test
    void aProviderNobodyCanLogInWithIsRefused() {
        var google =
                ProjectSSOConfig.newBuilder().setProvider(ProjectSSOConfig.Provider.GOOGLE).build();

        assertThatThrownBy(() -> signOn(projects(), Reach.ANY).set(ADMIN, google))
                .hasMessage("provider: GOOGLE (expected: GITHUB or OIDC)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:8080/",
                "http://LOCALHOST/",
                "http://[::1]/",
                "http://[::ffff:127.0.0.1]/",
                "http://0.0.0.0/",
                "http://169.254.169.254/latest",
                "http://[fd00:ec2::254]/",
                "http://[fe80::1]/"
            })
    void noOwnSettingOfAProjectNamesAnAddressOfTheServersMachine(String url) {
        var signOn = signOn(projects(), Reach.NETWORK);
        var oidc = oidc("x").getOidc().toBuilder();

        for (var settings :
                List.of(
                        oidc.clone().setIssuer(url),
                        oidc.clone().setTokenEndpoint(url),
                        oidc.clone().setUserInfoEndpoint(url),
                        oidc.clone().setProxyUrl(url)))
            assertThatThrownBy(() ->
                            signOn.set(ADMIN, oidc("x").toBuilder().setOidc(settings).build()))
                    .hasMessageEndingWith("(expected: an address the operator lets projects name)");
        for (var settings :
                List.of(
                        ProjectSSOConfig.GitHub.newBuilder().setBaseUrl(url),
                        ProjectSSOConfig.GitHub.newBuilder().setProxyUrl(url)))
            assertThatThrownBy(() ->
                            signOn.set(
                                    ADMIN,
                                    ProjectSSOConfig.newBuilder().setGithub(settings).build()))
                    .hasMessageEndingWith("(expected: an address the operator lets projects name)");
    }

    @Test
    void whichAddressesMayBeNamedIsTheOperatorsChoice() {
        var outside = InetAddress.ofLiteral("198.51.100.7");
        var inside = List.of("10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00::1");
        var here = InetAddress.ofLiteral("127.0.0.1");

        for (var address : inside) {
            var network = InetAddress.ofLiteral(address);
            assertThat(new SsoAddresses(Reach.PUBLIC).allow(network)).as(address).isFalse();
            assertThat(new SsoAddresses(Reach.NETWORK).allow(network)).as(address).isTrue();
        }
        assertThat(new SsoAddresses(Reach.PUBLIC).allow(outside)).isTrue();
        assertThat(new SsoAddresses(Reach.PUBLIC).allow(here)).isFalse();
        assertThat(new SsoAddresses(Reach.ANY).allow(here)).isTrue();
    }

    @Test
    void noAddressOfTheServersInterfacesMayBeNamed() throws Exception {
        var own =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .toList();

        assertThat(own).isNotEmpty();
        assertThat(own).noneMatch(new SsoAddresses(Reach.NETWORK)::allow);
        assertThat(own).allMatch(new SsoAddresses(Reach.ANY)::allow);
    }

    private static SignOn signOn(Projects projects, Reach reach) {
        return new SignOn(projects, new Seal(new byte[32]), new SsoAddresses(reach), ENDS);
    }

    private static ProjectSSOConfig oidc(String secret) {
        return ProjectSSOConfig.newBuilder()
                .setProvider(ProjectSSOConfig.Provider.OIDC)
                .setOidc(
                        ProjectSSOConfig.Oidc.newBuilder()
                                .setClientId(secret)
                                .setClientSecret(secret)
                                .setIssuer("https://issuer.example"))
                .build();
    }

    private String trail() {
        return database.read(connection -> {
            var text = new StringBuilder();
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT What, Before, After FROM Change")) {
                while (rows.next())
                    for (var i = 1; i <= 3; i++) text.append(rows.getString(i)).append('\n');
            }
            return text.toString();
        });
    }

    private Projects projects(Project... fromFile) {
        return Projects.open(List.of(fromFile), table);
    }

    private static Project project(String id, String admin) {
        return Project.newBuilder()
                .setId(id)
                .setStaticAdmin(
                        ProjectStaticUser.newBuilder()
                                .setUsername(admin)
                                .setPasswordHash("hash-of-" + admin))
                .build();
    }
}
