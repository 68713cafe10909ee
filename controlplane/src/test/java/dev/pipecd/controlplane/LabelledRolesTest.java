// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.RolesStand.assertDenied;
import static dev.pipecd.controlplane.RolesStand.assertUnknown;
import static dev.pipecd.controlplane.RolesStand.policy;
import static dev.pipecd.controlplane.RolesStand.resource;
import static dev.pipecd.controlplane.RolesStand.sync;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.ProjectRBACPolicy.Action;
import dev.pipecd.wire.model.ProjectRBACResource.ResourceType;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetDeploymentRequest;
import dev.pipecd.wire.web.ListApplicationsRequest;
import dev.pipecd.wire.web.ListDeploymentTracesRequest;
import dev.pipecd.wire.web.ListDeploymentTracesResponse;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.ListEventsRequest;
import dev.pipecd.wire.web.ListPipedsRequest;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Roles that are limited to what carries labels.
final class LabelledRolesTest {
    @TempDir private Path folder;
    private RolesStand at;

    @BeforeEach
    void open() throws Exception {
        at = new RolesStand(folder);
    }

    @AfterEach
    void close() {
        at.close();
    }

    @Test
    void aRoleLimitedToLabelsSeesAndChangesOnlyWhatCarriesThem() {
        at.add("DevTeam", policy(resource(ResourceType.ALL, Map.of("env", "dev")), Action.ALL));
        var home = at.home();
        var prod = application(home, "prod", Map.of("env", "prod"));
        var bare = application(home, "bare", Map.of());
        deployment(home, "d-dev", home.application(), "dev");
        deployment(home, "d-prod", prod, "prod");

        var person = at.as(at.person("DevTeam"));

        assertThat(
                        person.listApplications(ListApplicationsRequest.getDefaultInstance())
                                .getApplicationsList())
                .extracting(Application::getId)
                .containsExactly(home.application());
        assertThat(
                        person.listDeployments(ListDeploymentsRequest.getDefaultInstance())
                                .getDeploymentsList())
                .extracting(Deployment::getId)
                .containsExactly("d-dev");
        assertThat(sync(person, home.application())).isNotEmpty();
        for (var hidden : List.of(prod, bare)) {
            assertUnknown(() -> sync(person, hidden));
            assertUnknown(() -> get(person, hidden));
        }
        assertUnknown(() ->
                person.getDeployment(
                        GetDeploymentRequest.newBuilder().setDeploymentId("d-prod").build()));
        assertUnknown(() ->
                person.cancelDeployment(
                        CancelDeploymentRequest.newBuilder().setDeploymentId("d-prod").build()));
        assertDenied(() -> person.listPipeds(ListPipedsRequest.getDefaultInstance()));
    }

    @Test
    void whoMaySeeAThingAndNotChangeItIsToldSo() {
        at.add(
                "Reader",
                policy(resource(ResourceType.APPLICATION, Map.of()), Action.GET),
                policy(resource(ResourceType.APPLICATION, Map.of("env", "prod")), Action.UPDATE));
        var home = at.home();

        assertDenied(() -> sync(at.as(at.person("Reader")), home.application()));
    }

    @Test
    void allLabelsOfAPolicyMustBeCarried() {
        at.add(
                "Narrow",
                policy(
                        resource(ResourceType.APPLICATION, Map.of("env", "dev", "team", "a")),
                        Action.ALL));
        var home = at.home();
        var both = application(home, "both", Map.of("env", "dev", "team", "a", "x", "y"));

        var seen =
                at.as(at.person("Narrow"))
                        .listApplications(ListApplicationsRequest.getDefaultInstance())
                        .getApplicationsList();

        assertThat(seen).extracting(Application::getId).containsExactly(both);
    }

    @Test
    void anApplicationCanOnlyBeAddedWithinTheLabels() {
        at.add(
                "DevTeam",
                policy(resource(ResourceType.APPLICATION, Map.of("env", "dev")), Action.ALL));
        var home = at.home();
        var person = at.as(at.person("DevTeam"));
        var request =
                AddApplicationRequest.newBuilder()
                        .setName("x")
                        .setPipedId(home.piped().value())
                        .setGitPath(Samples.gitPath("x"));

        assertDenied(() -> person.addApplication(request.build()));
        assertThat(
                        person.addApplication(request.putLabels("env", "dev").build())
                                .getApplicationId())
                .isNotEmpty();
    }

    @Test
    void eventsAreSeenWithinTheLabels() {
        at.add("DevTeam", policy(resource(ResourceType.ALL, Map.of("env", "dev")), Action.ALL));
        at.add(
                "ProdEvents",
                policy(resource(ResourceType.EVENT, Map.of("env", "prod")), Action.LIST));
        var pipeline = APIServiceGrpc.newBlockingStub(at.world.as(World.holder(HERE, true)));
        for (var env : List.of("dev", "prod", "")) {
            var _ =
                    pipeline.registerEvent(
                            RegisterEventRequest.newBuilder()
                                    .setName("image")
                                    .setData("of " + env)
                                    .putAllLabels(env.isEmpty() ? Map.of() : Map.of("env", env))
                                    .build());
        }

        assertThat(events("DevTeam", Map.of())).containsExactly("of dev");
        assertThat(events("ProdEvents", Map.of())).containsExactly("of prod");
        assertThat(events("ProdEvents", Map.of("env", "dev"))).isEmpty();
        assertThat(events("Viewer", Map.of())).hasSize(3);
    }

    private List<String> events(String role, Map<String, String> labels) {
        var request = ListEventsRequest.newBuilder();
        request.getOptionsBuilder().putAllLabels(labels);
        return at.as(at.person(role)).listEvents(request.build()).getEventsList().stream()
                .map(Event::getData)
                .toList();
    }

    @Test
    void commitsAreTracedToTheDeploymentsWithinTheLabels() {
        at.add(
                "DevTeam",
                policy(resource(ResourceType.DEPLOYMENT, Map.of("env", "dev")), Action.ALL));
        var home = at.home();
        var pipeline = APIServiceGrpc.newBlockingStub(at.world.as(World.holder(HERE, true)));
        for (var env : List.of("dev", "prod")) trace(home, pipeline, env, env);

        assertThat(traces("DevTeam")).containsExactly("commit-of-dev d-dev");
        assertThat(traces("Viewer"))
                .containsExactlyInAnyOrder("commit-of-dev d-dev", "commit-of-prod d-prod");
        at.add("Blind", policy(resource(ResourceType.APPLICATION, Map.of()), Action.ALL));
        assertDenied(() -> traces("Blind"));
    }

    /// Web pages take a short page for the last.
    @Test
    void aListOfCommitsIsReadOnUntilThereAreAsManyAsWereAskedFor() {
        at.add(
                "DevTeam",
                policy(resource(ResourceType.DEPLOYMENT, Map.of("env", "dev")), Action.ALL));
        var home = at.home();
        var pipeline = APIServiceGrpc.newBlockingStub(at.world.as(World.holder(HERE, true)));
        for (var n = 0; n < 250; n++) {
            at.world.now.updateAndGet(now -> now.plusSeconds(1));
            trace(home, pipeline, "" + n, n % 100 == 0 ? "dev" : "prod");
        }
        var person = at.as(at.person("DevTeam"));
        var asked = ListDeploymentTracesRequest.newBuilder().setPageSize(2);

        var first = person.listDeploymentTraces(asked.build());
        var second = person.listDeploymentTraces(asked.setCursor(first.getCursor()).build());
        var third = person.listDeploymentTraces(asked.setCursor(second.getCursor()).build());

        assertThat(told(first)).containsExactly("commit-of-200 d-200", "commit-of-100 d-100");
        assertThat(told(second)).containsExactly("commit-of-0 d-0");
        assertThat(third).isEqualTo(ListDeploymentTracesResponse.getDefaultInstance());
        assertThat(Cursor.parse(first.getCursor()).id())
                .isEqualTo(first.getTraces(1).getTrace().getId());
    }

    /// An event of a commit, and the deployment that came of it.
    private static void trace(
            Samples.Home home, APIServiceBlockingStub pipeline, String name, String env) {
        var _ =
                pipeline.registerEvent(
                        RegisterEventRequest.newBuilder()
                                .setName("image")
                                .setData("of " + name)
                                .setCommitHash("commit-of-" + name)
                                .setCommitUrl("https://git.example/" + name)
                                .build());
        var _ =
                home.calls()
                        .createDeployment(
                                CreateDeploymentRequest.newBuilder()
                                        .setDeployment(
                                                Samples.deployment(
                                                                "d-" + name,
                                                                home.application(),
                                                                home.agent())
                                                        .toBuilder()
                                                        .setDeploymentTraceCommitHash(
                                                                "commit-of-" + name)
                                                        .putLabels("env", env))
                                        .build());
    }

    private List<String> traces(String role) {
        return told(at.as(at.person(role))
                        .listDeploymentTraces(ListDeploymentTracesRequest.getDefaultInstance()))
                .toList();
    }

    private static Stream<String> told(ListDeploymentTracesResponse answer) {
        return answer.getTracesList().stream()
                .map(t ->
                        t.getTrace().getCommitHash()
                                + t.getDeploymentsList().stream()
                                        .map(d -> " " + d.getId())
                                        .collect(Collectors.joining()));
    }

    @Test
    void aLabelOnWhatHasNoneIsRefusedBecauseItWouldAllowNothing() {
        assertThatThrownBy(() ->
                        at.add(
                                "Odd",
                                policy(resource(ResourceType.PIPED, Map.of("a", "b")), Action.GET)))
                .hasMessageStartingWith("INVALID_ARGUMENT: labels: on PIPED");
    }

    private String application(Samples.Home home, String name, Map<String, String> labels) {
        return at.admin
                .addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName(name)
                                .setPipedId(home.piped().value())
                                .setGitPath(Samples.gitPath(name))
                                .putAllLabels(labels)
                                .build())
                .getApplicationId();
    }

    private static void deployment(Samples.Home home, String id, String application, String env) {
        var _ =
                home.calls()
                        .createDeployment(
                                CreateDeploymentRequest.newBuilder()
                                        .setDeployment(
                                                Samples.deployment(id, application, home.agent())
                                                        .toBuilder()
                                                        .putLabels("env", env))
                                        .build());
    }

    private static Application get(WebServiceBlockingStub caller, String application) {
        return caller.getApplication(
                        GetApplicationRequest.newBuilder().setApplicationId(application).build())
                .getApplication();
    }
}
