// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.APIServiceGrpc.APIServiceBlockingStub;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.GetLatestEventRequest;
import dev.pipecd.wire.piped.ListEventsRequest;
import dev.pipecd.wire.piped.ListOrder;
import dev.pipecd.wire.piped.ReportEventStatusesRequest;
import dev.pipecd.wire.web.ListDeploymentTracesRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;
    private APIServiceBlockingStub api;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Viewer")));
        api = APIServiceGrpc.newBlockingStub(world.as(World.holder(HERE, true)));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private String register(String name, Map<String, String> labels, String data) {
        world.now.updateAndGet(now -> now.plusSeconds(1));
        return api.registerEvent(
                        RegisterEventRequest.newBuilder()
                                .setName(name)
                                .putAllLabels(labels)
                                .setData(data)
                                .build())
                .getEventId();
    }

    private List<String> listed(ListEventsRequest.Builder asked) {
        return home.calls().listEvents(asked.build()).getEventsList().stream()
                .map(Event::getData)
                .toList();
    }

    private void report(String id, EventStatus status, String why) {
        var _ =
                home.calls()
                        .reportEventStatuses(
                                ReportEventStatusesRequest.newBuilder()
                                        .addEvents(
                                                ReportEventStatusesRequest.Event.newBuilder()
                                                        .setId(id)
                                                        .setStatus(status)
                                                        .setStatusDescription(why))
                                        .build());
    }

    private Event shown(String data) {
        return web
                .listEvents(dev.pipecd.wire.web.ListEventsRequest.getDefaultInstance())
                .getEventsList()
                .stream()
                .filter(e -> e.getData().equals(data))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theKeyOfAnEventIsTheOneThatAgentsCompute() {
        var _ = register("image", Map.of("b", "2", "a", "1"), "v1");

        // sha256 of "image/a:1/b:2"
        assertThat(shown("v1").getEventKey())
                .isEqualTo("36ad974b75fa945536c2298c5f21c49f6b96b3db74ff75b836ac22f608feb13e");
    }

    @Test
    void agentsSeeWhatIsNotHandledInTheOrderTheyAskFor() {
        var first = register("image", Map.of(), "v1");
        var second = register("image", Map.of(), "v2");
        var _ = register("other", Map.of(), "v3");
        report(second, EventStatus.EVENT_FAILURE, "no such file");

        var unhandled =
                ListEventsRequest.newBuilder().setStatus(ListEventsRequest.Status.NOT_HANDLED);
        assertThat(listed(unhandled.clone().setOrder(ListOrder.DESC))).containsExactly("v3", "v1");
        assertThat(listed(unhandled.clone().setOrder(ListOrder.ASC))).containsExactly("v1", "v3");
        assertThat(listed(ListEventsRequest.newBuilder().setOrder(ListOrder.ASC)))
                .containsExactly("v1", "v2", "v3");
        var at = shown("v1").getCreatedAt();
        assertThat(listed(ListEventsRequest.newBuilder().setFrom(at).setTo(at + 1)))
                .containsExactly("v1");
        assertThat(first).isEqualTo(shown("v1").getId());
    }

    @Test
    void theLatestEventIsToldPerNameAndLabels() {
        var labels = Map.of("env", "dev");
        var _ = register("image", labels, "v1");
        var _ = register("image", labels, "v2");
        var _ = register("image", Map.of(), "v3");

        var asked = GetLatestEventRequest.newBuilder().setName("image").putAllLabels(labels);
        assertThat(home.calls().getLatestEvent(asked.build()).getEvent().getData()).isEqualTo("v2");
        fails(
                Status.Code.NOT_FOUND,
                "event: image is unknown",
                () -> home.calls().getLatestEvent(asked.putLabels("env", "prod").build()));
    }

    @Test
    void howAnEventEndedIsShownAndStays() {
        var id = register("image", Map.of(), "v1");

        report(id, EventStatus.EVENT_SUCCESS, "written to Git");
        report(id, EventStatus.EVENT_SUCCESS, "written to Git");
        report(id, EventStatus.EVENT_OUTDATED, "a newer one is there");

        assertThat(shown("v1").getStatus()).isEqualTo(EventStatus.EVENT_SUCCESS);
        assertThat(shown("v1").getStatusDescription()).isEqualTo("written to Git");
        assertThat(shown("v1").getHandledAt()).isEqualTo(world.now.get().getEpochSecond());
        fails(
                Status.Code.FAILED_PRECONDITION,
                "expected: how it ended",
                () -> report(id, EventStatus.EVENT_NOT_HANDLED, "again"));
    }

    /// Two applications or two agents may handle one event.
    @ParameterizedTest
    @CsvSource({
        "OUTDATED, OUTDATED, first",
        "OUTDATED, SUCCESS, second",
        "OUTDATED, FAILURE, second",
        "SUCCESS, OUTDATED, first",
        "SUCCESS, SUCCESS, first",
        "SUCCESS, FAILURE, second",
        "FAILURE, OUTDATED, first",
        "FAILURE, SUCCESS, first",
        "FAILURE, FAILURE, first"
    })
    void ofTwoEndsOfAnEventTheOneThatSaysMoreStands(String first, String second, String stands) {
        var id = register("image", Map.of(), "v1");
        report(id, EventStatus.valueOf("EVENT_" + first), "first");
        var handled = shown("v1").getHandledAt();
        world.now.updateAndGet(now -> now.plusSeconds(60));

        report(id, EventStatus.valueOf("EVENT_" + second), "second");

        assertThat(shown("v1").getStatusDescription()).isEqualTo(stands);
        assertThat(shown("v1").getStatus())
                .isEqualTo(
                        EventStatus.valueOf("EVENT_" + (stands.equals("first") ? first : second)));
        assertThat(shown("v1").getHandledAt())
                .isEqualTo(stands.equals("first") ? handled : world.now.get().getEpochSecond());
    }

    @Test
    void anOutdatedEventKeepsItsPlaceInTheList() {
        var id = register("image", Map.of(), "v1");
        var updated = shown("v1").getUpdatedAt();
        var _ = register("image", Map.of(), "v2");

        report(id, EventStatus.EVENT_OUTDATED, "v2 is there");

        assertThat(shown("v1").getStatus()).isEqualTo(EventStatus.EVENT_OUTDATED);
        assertThat(shown("v1").getUpdatedAt()).isEqualTo(updated);
        assertThat(shown("v1").getHandledAt()).isZero();
    }

    @Test
    void anAgentCannotEndAnEventOfAnotherProject() {
        var mine = register("image", Map.of(), "v1");
        var theirs =
                APIServiceGrpc.newBlockingStub(world.as(World.holder(ELSEWHERE, true)))
                        .registerEvent(
                                RegisterEventRequest.newBuilder()
                                        .setName("image")
                                        .setData("secret")
                                        .build())
                        .getEventId();
        var both = ReportEventStatusesRequest.newBuilder();
        for (var id : List.of(mine, theirs))
            both.addEvents(
                    ReportEventStatusesRequest.Event.newBuilder()
                            .setId(id)
                            .setStatus(EventStatus.EVENT_SUCCESS)
                            .setStatusDescription("done"));

        fails(
                Status.Code.NOT_FOUND,
                "event: " + theirs + " is unknown",
                () -> home.calls().reportEventStatuses(both.build()));

        assertThat(shown("v1").getStatus()).isEqualTo(EventStatus.EVENT_NOT_HANDLED);
    }

    @Test
    void peopleFilterEventsAndTurnPages() {
        for (var i = 1; i <= 5; i++) {
            var _ = register(i % 2 == 0 ? "even" : "odd", Map.of("n", "" + i), "v" + i);
        }
        report(shown("v3").getId(), EventStatus.EVENT_FAILURE, "no");

        var odd = dev.pipecd.wire.web.ListEventsRequest.newBuilder().setPageSize(2);
        odd.getOptionsBuilder().setName("odd");
        var first = web.listEvents(odd.build());
        var second = web.listEvents(odd.setCursor(first.getCursor()).build());
        assertThat(first.getEventsList()).extracting(Event::getData).containsExactly("v3", "v5");
        assertThat(second.getEventsList()).extracting(Event::getData).containsExactly("v1");
        var failed = dev.pipecd.wire.web.ListEventsRequest.newBuilder();
        failed.getOptionsBuilder().addStatuses(EventStatus.EVENT_FAILURE).putLabels("n", "3");
        assertThat(web.listEvents(failed.build()).getEventsList())
                .extracting(Event::getData)
                .containsExactly("v3");
    }

    @Test
    void aCommitIsTracedToTheDeploymentsOfItsOwnProjectOnly() {
        var there = Samples.home(world, ELSEWHERE);
        for (var at : List.of(home, there)) {
            var _ =
                    at.calls()
                            .createDeployment(
                                    CreateDeploymentRequest.newBuilder()
                                            .setDeployment(
                                                    Samples.deployment(
                                                                    "d-" + at.project(),
                                                                    at.application(),
                                                                    at.agent())
                                                            .toBuilder()
                                                            .setDeploymentTraceCommitHash("cafe"))
                                            .build());
        }
        var _ =
                api.registerEvent(
                        RegisterEventRequest.newBuilder()
                                .setName("image")
                                .setData("v1")
                                .setCommitHash("cafe")
                                .setCommitUrl("https://git.example/cafe")
                                .setCommitTitle("Add a page")
                                .build());

        var asked = ListDeploymentTracesRequest.newBuilder();
        asked.getOptionsBuilder().setCommitHash("cafe");
        var traces = web.listDeploymentTraces(asked.build()).getTracesList();
        assertThat(traces).hasSize(1);
        assertThat(traces.getFirst().getTrace().getTitle()).isEqualTo("Add a page");
        assertThat(traces.getFirst().getDeploymentsList())
                .extracting(Deployment::getId)
                .containsExactly("d-here");
        asked.getOptionsBuilder().setCommitHash("beef");
        assertThat(web.listDeploymentTraces(asked.build()).getTracesList()).isEmpty();
    }
}
