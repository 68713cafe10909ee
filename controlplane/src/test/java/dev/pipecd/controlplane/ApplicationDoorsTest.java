// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.server.Failures;
import dev.pipecd.controlplane.store.ApplicationTable;
import dev.pipecd.controlplane.store.Trail;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationDeploymentReference;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.piped.*;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.GetProjectRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.ListUnregisteredApplicationsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private ThrowingCallable adding(String path, String repository) {
        return () -> {
            var gitPath = Samples.gitPath(path).toBuilder();
            gitPath.getRepoBuilder().setId(repository);
            var _ =
                    web.addApplication(
                            AddApplicationRequest.newBuilder()
                                    .setName("again")
                                    .setPipedId(home.piped().value())
                                    .setGitPath(gitPath)
                                    .build());
        };
    }

    @Test
    void onePlaceIsRegisteredOnceAndOnlyWhereItsAgentLooks() throws Throwable {
        fails(
                Status.Code.ALREADY_EXISTS,
                "application: " + home.application() + " stands for site",
                adding("./site/", "demo"));
        fails(
                Status.Code.NOT_FOUND,
                "repository: other (expected: one of [demo]",
                adding("x/y", "other"));
        fails(Status.Code.INVALID_ARGUMENT, "path: \"../site\"", adding("../site", "demo"));

        adding("site/two", "demo").call();

        assertThat(
                        web.getApplication(
                                        GetApplicationRequest.newBuilder()
                                                .setApplicationId(home.application())
                                                .build())
                                .getApplication()
                                .getGitPath()
                                .getUrl())
                .isEqualTo("https://git.example/org/demo/tree/main/site");
    }

    /// An application belongs to an agent: two of them may deploy one file to two places.
    @Test
    void anotherAgentMayRegisterTheSameFileAsAnApplicationOfItsOwn() {
        var other = Samples.home(world, HERE);
        assertThat(other.piped()).isNotEqualTo(home.piped());

        var paths =
                Stream.of(home, other)
                        .map(h ->
                                web.getApplication(
                                                GetApplicationRequest.newBuilder()
                                                        .setApplicationId(h.application())
                                                        .build())
                                        .getApplication())
                        .map(a -> a.getGitPath().getRepo().getId() + " " + a.getGitPath().getPath())
                        .toList();

        assertThat(other.application()).isNotEqualTo(home.application());
        assertThat(paths).containsExactly("demo site", "demo site");
    }

    @Test
    void whatTheAgentTellsOfAnApplicationIsShown() {
        var state =
                ApplicationSyncState.newBuilder()
                        .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                        .setShortReason("changed")
                        .setTimestamp(3)
                        .build();
        var report =
                ReportApplicationSyncStateRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setState(state)
                        .build();
        var trail = world.features.changes().latest();
        var _ = home.calls().reportApplicationSyncState(report);
        assertThat(world.features.changes().latest()).isEqualTo(trail + 1);
        var again = report.toBuilder().setState(state.toBuilder().setTimestamp(4)).build();
        var _ = home.calls().reportApplicationSyncState(again); // no news
        assertThat(world.features.changes().latest()).isEqualTo(trail + 1);

        var _ =
                home.calls()
                        .reportApplicationDeployingStatus(
                                ReportApplicationDeployingStatusRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setDeploying(true)
                                        .build());

        var shown = application();
        assertThat(shown.getSyncState()).isEqualTo(again.getState());
        assertThat(shown.getDeploying()).isTrue();
        var wanted =
                GetApplicationMostRecentDeploymentRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                        .build();
        fails(
                Status.Code.NOT_FOUND,
                "none of status DEPLOYMENT_PENDING yet",
                () -> home.calls().getApplicationMostRecentDeployment(wanted));
        var reference = recent("d2", 20);
        tellRecent(reference);
        assertThat(home.calls().getApplicationMostRecentDeployment(wanted).getDeployment())
                .isEqualTo(reference);

        tellRecent(recent("d1", 10)); // comes late
        assertThat(home.calls().getApplicationMostRecentDeployment(wanted).getDeployment())
                .isEqualTo(reference);

        tellRecent(recent("d3", 30));
        assertThat(home.calls().getApplicationMostRecentDeployment(wanted).getDeployment())
                .isEqualTo(recent("d3", 30));
    }

    private static ApplicationDeploymentReference recent(String deployment, long startedAt) {
        return ApplicationDeploymentReference.newBuilder()
                .setDeploymentId(deployment)
                .setStartedAt(startedAt)
                .build();
    }

    private void tellRecent(ApplicationDeploymentReference reference) {
        var _ =
                home.calls()
                        .reportApplicationMostRecentDeployment(
                                ReportApplicationMostRecentDeploymentRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setStatus(DeploymentStatus.DEPLOYMENT_PENDING)
                                        .setDeployment(reference)
                                        .build());
    }

    private Application application() {
        return home.calls()
                .listApplications(ListApplicationsRequest.getDefaultInstance())
                .getApplications(0);
    }

    @Test
    void namesComeFromGitAndStrayConfigurationsAreSuggested() {
        var info =
                ApplicationInfo.newBuilder()
                        .setId(home.application())
                        .setName("renamed")
                        .putLabels("team", "web")
                        .build();
        var _ =
                home.calls()
                        .updateApplicationConfigurations(
                                UpdateApplicationConfigurationsRequest.newBuilder()
                                        .addApplications(info)
                                        .build());
        assertThat(application().getName()).isEqualTo("renamed");
        assertThat(application().getLabelsMap()).isEqualTo(Map.of("team", "web"));

        var _ =
                home.calls()
                        .reportUnregisteredApplicationConfigurations(
                                ReportUnregisteredApplicationConfigurationsRequest.newBuilder()
                                        .addApplications(info.toBuilder().clearId().setPath("p/q"))
                                        .build());
        assertThat(
                        web.listUnregisteredApplications(
                                        ListUnregisteredApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .extracting(ApplicationInfo::getPath)
                .containsExactly("p/q");
    }

    @Test
    void sharedObjectsAreKeptPerPluginAndKey() {
        var put =
                PutApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setPluginName("analysis")
                        .setKey("last")
                        .setObject(ByteString.copyFromUtf8("42"))
                        .build();
        var get =
                GetApplicationSharedObjectRequest.newBuilder()
                        .setApplicationId(home.application())
                        .setPluginName("analysis")
                        .setKey("last");
        fails(
                Status.Code.NOT_FOUND,
                "shared object: last",
                () -> home.calls().getApplicationSharedObject(get.build()));

        var _ = home.calls().putApplicationSharedObject(put);

        assertThat(home.calls().getApplicationSharedObject(get.build()).getObject().toStringUtf8())
                .isEqualTo("42");
        assertThat(
                        world.file(
                                "application-shared-objects/%s/analysis/last.json"
                                        .formatted(home.application())))
                .hasContent("42");
        fails(
                Status.Code.INVALID_ARGUMENT,
                "id: \"../x.json\"",
                () -> home.calls().getApplicationSharedObject(get.clone().setKey("../x").build()));
    }

    @Test
    void anAgentIsOnlineForTwoMinutesAfterItsLastWord() {
        var _ = home.calls().reportStat(ReportStatRequest.getDefaultInstance());
        assertThat(status()).isEqualTo(Piped.ConnectionStatus.ONLINE);

        world.now.set(world.now.get().plus(Duration.ofMinutes(2)));

        assertThat(status()).isEqualTo(Piped.ConnectionStatus.OFFLINE);
    }

    private Piped.ConnectionStatus status() {
        return web.listPipeds(ListPipedsRequest.newBuilder().setWithStatus(true).build())
                .getPipeds(0)
                .getStatus();
    }

    @Test
    void listsWithoutOptionsAreSafe() {
        assertThat(
                        web.listApplications(
                                        dev.pipecd.wire.web.ListApplicationsRequest
                                                .getDefaultInstance())
                                .getApplicationsList())
                .hasSize(1);
        assertThat(
                        api.listDeployments(
                                        dev.pipecd.wire.api.ListDeploymentsRequest.newBuilder()
                                                .addStatuses("")
                                                .addKinds("")
                                                .build())
                                .getDeploymentsList())
                .isEmpty();
        fails(
                Status.Code.INVALID_ARGUMENT,
                "kind: \"SHIP\" (expected: one of KUBERNETES, ",
                () ->
                        api.listApplications(
                                dev.pipecd.wire.api.ListApplicationsRequest.newBuilder()
                                        .setKind("SHIP")
                                        .build()));
    }

    @Test
    void aProgramTurnsThePagesOfEnabledOrDisabledApplicationsUntilNoneComes() throws Throwable {
        for (var i = 1; i < 5; i++) adding("site" + i, "demo").call();
        var _ =
                web.disableApplication(
                        dev.pipecd.wire.web.DisableApplicationRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build());

        assertThat(pages(2, false)).hasSize(4).doesNotContain(home.application());
        assertThat(pages(2, true)).containsExactly(home.application());
    }

    /// Callers that the public server answers whole look for no further page.
    @Test
    void withoutALimitAProgramGetsAllThereIs() {
        var database = world.features.stores().database();
        var table = new ApplicationTable(database, new Trail(database), world.now::get);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var i = 0; i < 1_000; i++) {
                var one = many("many-" + i);
                var _ = threads.submit(() -> table.add(one, "ann"));
            }
        }
        var all = dev.pipecd.wire.api.ListApplicationsRequest.getDefaultInstance();

        var answer = api.listApplications(all);
        var rest = all.toBuilder().setCursor(answer.getCursor()).build();

        assertThat(answer.getApplicationsCount()).isEqualTo(1_001);
        assertThat(api.listApplications(rest).getApplicationsCount()).isZero();
    }

    private Application many(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName(id)
                .setPipedId(home.piped().value())
                .setProjectId(HERE.value())
                .setGitPath(Samples.gitPath(id))
                .build();
    }

    private Set<String> pages(int limit, boolean disabled) {
        var found = new HashSet<String>();
        var request =
                dev.pipecd.wire.api.ListApplicationsRequest.newBuilder()
                        .setLimit(limit)
                        .setDisabled(disabled);
        dev.pipecd.wire.api.ListApplicationsResponse page;
        while ((page = api.listApplications(request.build())).getApplicationsCount() > 0) {
            assertThat(page.getApplicationsCount()).isLessThanOrEqualTo(limit);
            page.getApplicationsList().forEach(a -> assertThat(found.add(a.getId())).isTrue());
            request.setCursor(page.getCursor());
        }
        return found;
    }

    @Test
    void anAgentLearnsItsNameAndWherePeopleLook() {
        var answer =
                home.calls()
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion("v1").build());

        assertThat(answer.getName()).isEqualTo("east");
        assertThat(answer.getWebBaseUrl()).isEqualTo("http://pipecd.example");
    }

    @Test
    void peopleKnowWhereTheyAreAndNothingSecret() {
        assertThat(web.getMe(GetMeRequest.getDefaultInstance()).getSubject()).isEqualTo("ann");
        var project = web.getProject(GetProjectRequest.getDefaultInstance()).getProject();
        assertThat(project.getStaticAdmin().getPasswordHash()).isEqualTo("redacted");
        assertThat(project.getRbacRolesList())
                .extracting(r -> r.getName())
                .containsExactly("Admin", "Editor", "Viewer");
    }

    @Test
    void whatIsOurOwnFaultIsToldAsSuchAndNoMore() {
        assertThat(Failures.of(new IllegalStateException("password=hunter2")))
                .satisfies(s -> {
                    assertThat(s.getCode()).isEqualTo(Status.Code.INTERNAL);
                    assertThat(s.getDescription()).doesNotContain("hunter2");
                });
    }
}
