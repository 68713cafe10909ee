// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.AddApplicationResponse;
import dev.pipecd.wire.api.DeleteApplicationRequest;
import dev.pipecd.wire.api.DeleteApplicationResponse;
import dev.pipecd.wire.api.DisableApplicationRequest;
import dev.pipecd.wire.api.DisableApplicationResponse;
import dev.pipecd.wire.api.DisablePipedRequest;
import dev.pipecd.wire.api.DisablePipedResponse;
import dev.pipecd.wire.api.EnableApplicationRequest;
import dev.pipecd.wire.api.EnableApplicationResponse;
import dev.pipecd.wire.api.EnablePipedRequest;
import dev.pipecd.wire.api.EnablePipedResponse;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.GetApplicationResponse;
import dev.pipecd.wire.api.GetPipedRequest;
import dev.pipecd.wire.api.GetPipedResponse;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RegisterEventResponse;
import dev.pipecd.wire.api.RegisterPipedRequest;
import dev.pipecd.wire.api.RegisterPipedResponse;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsRequest;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsResponse;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Piped;
import io.grpc.Status;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ActCommandsTest {
    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void addSendsAllItWasTold() {
        api.answer(
                AddApplicationRequest.class,
                AddApplicationResponse.newBuilder().setApplicationId("a1").build());

        var run =
                pipectl(
                        server,
                        "application",
                        "add",
                        "--app-name=site",
                        "--app-kind=terraform",
                        "--piped-id=p1",
                        "--platform-provider=prod",
                        "--repo-id=web",
                        "--app-dir=apps/site",
                        "--labels=env=prod,team=web",
                        "--description=The site");

        assertThat(run).isEqualTo(new Run(0, "Added application a1\n", ""));
        assertThat(api.requests())
                .containsExactly(
                        AddApplicationRequest.newBuilder()
                                .setName("site")
                                .setKind(ApplicationKind.TERRAFORM)
                                .setPipedId("p1")
                                .setPlatformProvider("prod")
                                .setGitPath(
                                        ApplicationGitPath.newBuilder()
                                                .setRepo(
                                                        ApplicationGitRepository.newBuilder()
                                                                .setId("web"))
                                                .setPath("apps/site")
                                                .setConfigFilename("app.pipecd.yaml"))
                                .putLabels("env", "prod")
                                .putLabels("team", "web")
                                .setDescription("The site")
                                .build());
    }

    @Test
    void anUnknownKindNamesThoseThereAre() {
        var run =
                pipectl(
                        server,
                        "application",
                        "add",
                        "--app-name=site",
                        "--app-kind=NOMAD",
                        "--piped-id=p1",
                        "--platform-provider=prod",
                        "--repo-id=web",
                        "--app-dir=apps/site");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --app-kind: NOMAD (expected: one of KUBERNETES, TERRAFORM, LAMBDA, CLOUDRUN, ECS)\n");
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void deleteEnableAndDisableSendTheIdAndTellWhatWasDone() {
        api.answer(DeleteApplicationRequest.class, DeleteApplicationResponse.getDefaultInstance())
                .answer(
                        EnableApplicationRequest.class,
                        EnableApplicationResponse.getDefaultInstance())
                .answer(
                        DisableApplicationRequest.class,
                        DisableApplicationResponse.getDefaultInstance());

        assertThat(pipectl(server, "application", "delete", "--app-id", "a1"))
                .isEqualTo(new Run(0, "Deleted application a1\n", ""));
        assertThat(pipectl(server, "application", "enable", "--app-id", "a2"))
                .isEqualTo(new Run(0, "Enabled application a2\n", ""));
        assertThat(pipectl(server, "application", "disable", "--app-id", "a3"))
                .isEqualTo(new Run(0, "Disabled application a3\n", ""));
        assertThat(api.requests())
                .containsExactly(
                        DeleteApplicationRequest.newBuilder().setApplicationId("a1").build(),
                        EnableApplicationRequest.newBuilder().setApplicationId("a2").build(),
                        DisableApplicationRequest.newBuilder().setApplicationId("a3").build());
    }

    @Test
    void anAgentIsEnabledAndDisabledById() {
        api.answer(EnablePipedRequest.class, EnablePipedResponse.getDefaultInstance())
                .answer(DisablePipedRequest.class, DisablePipedResponse.getDefaultInstance());

        assertThat(pipectl(server, "piped", "enable", "--piped-id", "p1"))
                .isEqualTo(new Run(0, "Enabled agent p1\n", ""));
        assertThat(pipectl(server, "piped", "disable", "--piped-id", "p1"))
                .isEqualTo(new Run(0, "Disabled agent p1\n", ""));
        assertThat(api.requests())
                .containsExactly(
                        EnablePipedRequest.newBuilder().setPipedId("p1").build(),
                        DisablePipedRequest.newBuilder().setPipedId("p1").build());
    }

    @Test
    void aRegisteredAgentsKeyIsShownAsItsConfigurationWantsIt() {
        api.answer(
                RegisterPipedRequest.class,
                RegisterPipedResponse.newBuilder().setId("p1").setKey("secret").build());

        var run = pipectl(server, "piped", "register", "--name", "prod", "--desc", "ours");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                """
                                pipedID:       p1
                                key:           secret
                                pipedKeyData:  c2VjcmV0
                                """,
                                ""));
        assertThat(api.requests())
                .containsExactly(
                        RegisterPipedRequest.newBuilder().setName("prod").setDesc("ours").build());
    }

    @Test
    void anAgentIsShownAsYamlToo() {
        api.answer(
                GetPipedRequest.class,
                GetPipedResponse.newBuilder()
                        .setPiped(
                                Piped.newBuilder()
                                        .setId("p1")
                                        .setName("yes")
                                        .setStatus(Piped.ConnectionStatus.ONLINE)
                                        .setStartedAt(1_794_772_800)
                                        .addPlugins(
                                                Piped.Plugin.newBuilder()
                                                        .setName("wait")
                                                        .addDeployTargets("here")))
                        .build());

        var run = pipectl(server, "piped", "get", "--piped-id", "p1", "-o", "yaml");

        assertThat(run.out())
                .startsWith("id: p1\nname: 'yes'\ndesc: ''\n")
                .contains("\nstarted_at: '1794772800'\n")
                .contains("\nstatus: ONLINE\n")
                .contains("\nplugins:\n- name: wait\n  deploy_targets:\n  - here\n");
        assertThat(pipectl(server, "piped", "get", "--piped-id", "p1").out())
                .startsWith(
                        """
                        ID:            p1
                        Name:          yes
                        Description:   -
                        Status:        ONLINE
                        """)
                .contains("Plugins:       wait\n");
    }

    @Test
    void anEventIsRegisteredWithAllThatIsKnownOfIt() {
        api.answer(
                RegisterEventRequest.class,
                RegisterEventResponse.newBuilder().setEventId("e1").build());

        var run =
                pipectl(
                        server,
                        "event",
                        "register",
                        "--name=image-built",
                        "--data=v1,2",
                        "--labels=app=site,env=prod",
                        "--contexts=Reviewed-by=ann",
                        "--commit-hash=abc",
                        "--commit-title=A change",
                        "--commit-message=A change\n\nof note",
                        "--commit-url=https://example.com/abc",
                        "--commit-author=ann",
                        "--commit-timestamp=5");

        assertThat(run).isEqualTo(new Run(0, "Registered event e1\n", ""));
        assertThat(api.requests())
                .containsExactly(
                        RegisterEventRequest.newBuilder()
                                .setName("image-built")
                                .setData("v1,2")
                                .putLabels("app", "site")
                                .putLabels("env", "prod")
                                .putContexts("Reviewed-by", "ann")
                                .setCommitHash("abc")
                                .setCommitTitle("A change")
                                .setCommitMessage("A change\n\nof note")
                                .setCommitUrl("https://example.com/abc")
                                .setCommitAuthor("ann")
                                .setCommitTimestamp(5)
                                .build());
    }

    /// As the public command line reads them: commas are common in titles of commits.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Title=fix: a, b|{Title=fix: a, b}",
                "Title=Revert \"a, b\"|{Title=Revert \"a, b\"}",
                "\"Title=fix: a, b\"|{Title=fix: a, b}",
                "\"Title=fix: a, b\",PR=7|{PR=7, Title=fix: a, b}",
                "\"Title=say \"\"a, b\"\"\",PR=7,|{PR=7, Title=say \"a, b\"}",
                "Url=x?a=1|{Url=x?a=1}",
                "PR=7,Url=x?a=1|{PR=7, Url=x?a=1}"
            })
    void aContextMayHaveCommasAndQuotes(String given, String sent) {
        api.answer(
                RegisterEventRequest.class,
                RegisterEventResponse.newBuilder().setEventId("e1").build());

        var run =
                pipectl(server, "event", "register", "--name=n", "--data=v", "--contexts=" + given);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(api.requests(RegisterEventRequest.class))
                .extracting(request -> new TreeMap<>(request.getContextsMap()).toString())
                .containsExactly(sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Title=\"a, b\",PR=7", "\"Title=a,PR=7", "\"Title=a\"x,PR=7"})
    void quotesThatDoNotFitAreACallingMistake(String given) {
        var run =
                pipectl(server, "event", "register", "--name=n", "--data=v", "--contexts=" + given);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --contexts: %s (expected: KEY=VALUE,... with each pair that has a comma or a quote in double quotes, those within doubled)\n"
                                .formatted(given));
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void anEventsContextIsCheckedBeforeItIsSent() {
        var run =
                pipectl(
                        server,
                        "event",
                        "register",
                        "--name=n",
                        "--data=v",
                        "--contexts",
                        "reviewed_by=ann");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --contexts: reviewed_by (expected: letters and digits, joined by single hyphens)\n");
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void anEventWithoutDataIsACallingMistake() {
        var run = pipectl(server, "event", "register", "--name=n");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --data: missing (expected: the event's value, such as the version that was built)\n");
    }

    @Test
    @SuppressWarnings("deprecation") // kind and provider are what is migrated
    void migrateDatabaseMakesADeployTargetOfTheProvider() {
        var ecs =
                Application.newBuilder()
                        .setId("a1")
                        .setKind(ApplicationKind.ECS)
                        .setPlatformProvider("tokyo");
        var done =
                Application.newBuilder()
                        .setId("a2")
                        .putDeployTargetsByPlugin("ecs", DeployTargets.getDefaultInstance());
        api.answer(
                        GetApplicationRequest.class,
                        GetApplicationResponse.newBuilder().setApplication(ecs).build(),
                        GetApplicationResponse.newBuilder().setApplication(done).build())
                .answer(
                        UpdateApplicationDeployTargetsRequest.class,
                        UpdateApplicationDeployTargetsResponse.getDefaultInstance());

        var run = pipectl(server, "migrate", "database", "--applications", "a1,a2");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "a1: now deployed by ecs to tokyo\na2: has deploy targets already\n",
                                ""));
        assertThat(api.requests(UpdateApplicationDeployTargetsRequest.class))
                .containsExactly(
                        UpdateApplicationDeployTargetsRequest.newBuilder()
                                .setApplicationId("a1")
                                .putDeployTargetsByPlugin(
                                        "ecs",
                                        DeployTargets.newBuilder()
                                                .addDeployTargets("tokyo")
                                                .build())
                                .build());
    }

    @Test
    void anApplicationWithoutProviderIsNotMigratedAndDoesNotKeepTheOthersFromIt() {
        api.answer(
                GetApplicationRequest.class,
                GetApplicationResponse.newBuilder()
                        .setApplication(Application.newBuilder().setId("a1"))
                        .build(),
                GetApplicationResponse.newBuilder()
                        .setApplication(
                                Application.newBuilder()
                                        .setId("a2")
                                        .putDeployTargetsByPlugin(
                                                "ecs", DeployTargets.getDefaultInstance()))
                        .build());

        assertThat(pipectl(server, "migrate", "database", "--applications", "a1,a2"))
                .isEqualTo(
                        new Run(
                                1,
                                "a2: has deploy targets already\n",
                                "Error: application: a1 has no platform provider (expected: one to make a deploy target of). Give it its deploy targets by the API: UpdateApplicationDeployTargets.\n"));
    }

    @Test
    void theEnvironmentNamesControlPlaneAndKey() {
        api.answer(EnablePipedRequest.class, EnablePipedResponse.getDefaultInstance());

        var run =
                new Surroundings()
                        .with("PIPECTL_ADDRESS", server.address())
                        .with("PIPECTL_API_KEY", " k2.secret\n")
                        .with("PIPECTL_INSECURE", "true")
                        .pipectl("piped", "enable", "--piped-id", "p1");

        assertThat(run.code()).isZero();
        assertThat(server.credentials()).containsExactly("API-KEY k2.secret");
    }

    @Test
    void aKeyOfTheEnvironmentThatIsRefusedIsToldByItsVariable() {
        api.answer(EnablePipedRequest.class, Status.UNAUTHENTICATED);

        var run =
                new Surroundings()
                        .with("PIPECTL_API_KEY", "k2.secret")
                        .pipectl(
                                "piped",
                                "enable",
                                "--piped-id=p1",
                                "--insecure",
                                "--address",
                                server.address());

        assertThat(run.err())
                .startsWith("Error: API key: that of PIPECTL_API_KEY (expected: one that ");
    }
}
