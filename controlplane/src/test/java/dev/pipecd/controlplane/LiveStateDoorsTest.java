// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.wire.model.AnalysisResult;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationLiveStateVersion;
import dev.pipecd.wire.model.KubernetesResourceState;
import dev.pipecd.wire.model.KubernetesResourceState.HealthStatus;
import dev.pipecd.wire.model.KubernetesResourceStateEvent;
import dev.pipecd.wire.piped.GetLatestAnalysisResultRequest;
import dev.pipecd.wire.piped.PutLatestAnalysisResultRequest;
import dev.pipecd.wire.piped.ReportApplicationLiveStateEventsRequest;
import dev.pipecd.wire.piped.ReportApplicationLiveStateRequest;
import dev.pipecd.wire.web.GetApplicationLiveStateRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LiveStateDoorsTest {
    @TempDir Path folder;
    private World world;
    private Samples.Home home;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static KubernetesResourceState resource(String id, HealthStatus health) {
        return KubernetesResourceState.newBuilder().setId(id).setHealthStatus(health).build();
    }

    private void report(long version, KubernetesResourceState... resources) {
        var snapshot =
                ApplicationLiveStateSnapshot.newBuilder()
                        .setApplicationId(home.application())
                        .setPipedId("made up")
                        .setProjectId("made up")
                        .setHealthStatus(ApplicationLiveStateSnapshot.Status.HEALTHY)
                        .setVersion(ApplicationLiveStateVersion.newBuilder().setTimestamp(version));
        for (var resource : resources) snapshot.getKubernetesBuilder().addResources(resource);
        var _ =
                home.calls()
                        .reportApplicationLiveState(
                                ReportApplicationLiveStateRequest.newBuilder()
                                        .setSnapshot(snapshot)
                                        .build());
    }

    private KubernetesResourceStateEvent event(
            String id,
            KubernetesResourceStateEvent.Type type,
            long version,
            KubernetesResourceState state) {
        return KubernetesResourceStateEvent.newBuilder()
                .setId(id)
                .setApplicationId(home.application())
                .setType(type)
                .setState(state)
                .setSnapshotVersion(ApplicationLiveStateVersion.newBuilder().setTimestamp(version))
                .build();
    }

    private List<String> patch(KubernetesResourceStateEvent... events) {
        return home.calls()
                .reportApplicationLiveStateEvents(
                        ReportApplicationLiveStateEventsRequest.newBuilder()
                                .addAllKubernetesEvents(List.of(events))
                                .build())
                .getFailedIdsList();
    }

    private ApplicationLiveStateSnapshot shown() {
        return WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Viewer")))
                .getApplicationLiveState(
                        GetApplicationLiveStateRequest.newBuilder()
                                .setApplicationId(home.application())
                                .build())
                .getSnapshot();
    }

    @Test
    void whatRunsIsShownUnderItsTrueOwnerAndBrowsersAreTold() {
        var heard = new CopyOnWriteArrayList<Change>();
        var _ = world.features.changes().listen(heard::add);

        report(10, resource("pod", HealthStatus.HEALTHY));

        assertThat(heard)
                .extracting(Change::kind, Change::id)
                .containsExactly(tuple(Change.Kind.LIVE_STATE, home.application()));
        assertThat(shown().getPipedId()).isEqualTo(home.piped().value());
        assertThat(shown().getProjectId()).isEqualTo("here");
        assertThat(shown().getKubernetes().getResources(0).getId()).isEqualTo("pod");
        assertThat(world.file("application-live-state/" + home.application() + ".json")).exists();
    }

    @Test
    void theAgentHearsThatSomebodyLooksAlsoBeforeItHasToldAnything() {
        var heard = new CopyOnWriteArrayList<Change>();
        var _ = world.features.changes().listen(heard::add);

        assertThatThrownBy(this::shown).isInstanceOf(StatusRuntimeException.class);

        assertThat(heard)
                .extracting(Change::kind, Change::id, Change::piped)
                .containsExactly(
                        tuple(
                                Change.Kind.LIVE_STATE_WANTED,
                                home.application(),
                                home.piped().value()));
    }

    @Test
    void ofManyWhoLookTheAgentHearsOnceAndNotAgainAfterItsAnswer() {
        report(10, resource("pod", HealthStatus.HEALTHY));
        var wished = wishes();

        for (var i = 0; i < 50; i++) shown();
        assertThat(wished).hasSize(1);
        later(9);
        report(11, resource("pod", HealthStatus.HEALTHY));
        later(9);
        shown();
        assertThat(wished).hasSize(1);

        later(1);
        shown();
        assertThat(wished).hasSize(2);
    }

    @Test
    void nobodyCanWishForWhatIsNotTheirs() {
        report(10, resource("pod", HealthStatus.HEALTHY));
        var wished = wishes();
        var stranger =
                WebServiceGrpc.newBlockingStub(world.as(World.person(World.ELSEWHERE, "Admin")));

        var theirs = asked(stranger, home.application());
        var nothing = asked(stranger, "00000000-0000-4000-8000-000000000000");

        assertThat(theirs.getCode()).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(theirs.getDescription())
                .isEqualTo(
                        String.valueOf(nothing.getDescription())
                                .replace(
                                        "00000000-0000-4000-8000-000000000000",
                                        home.application()));
        assertThat(wished).isEmpty();
    }

    private static Status asked(WebServiceGrpc.WebServiceBlockingStub who, String application) {
        try {
            var _ =
                    who.getApplicationLiveState(
                            GetApplicationLiveStateRequest.newBuilder()
                                    .setApplicationId(application)
                                    .build());
            return Status.OK;
        } catch (StatusRuntimeException refused) {
            return refused.getStatus();
        }
    }

    private List<Change> wishes() {
        var heard = new CopyOnWriteArrayList<Change>();
        var _ =
                world.features
                        .changes()
                        .listen(change -> {
                            if (change.kind() == Change.Kind.LIVE_STATE_WANTED) heard.add(change);
                        });
        return heard;
    }

    private void later(int seconds) {
        world.now.updateAndGet(now -> now.plusSeconds(seconds));
    }

    @Test
    void whatWasPatchedOutlivesTheServer() throws Exception {
        report(10, resource("kept", HealthStatus.HEALTHY), resource("gone", HealthStatus.HEALTHY));

        assertThat(
                        patch(
                                event(
                                        "e1",
                                        KubernetesResourceStateEvent.Type.DELETED,
                                        10,
                                        resource("gone", HealthStatus.HEALTHY)),
                                event(
                                        "e2",
                                        KubernetesResourceStateEvent.Type.ADD_OR_UPDATED,
                                        11,
                                        resource("new", HealthStatus.OTHER)),
                                event(
                                        "e3",
                                        KubernetesResourceStateEvent.Type.DELETED,
                                        9,
                                        resource("kept", HealthStatus.HEALTHY))))
                .isEmpty();
        world.close();
        world = new World(folder);

        assertThat(shown().getKubernetes().getResourcesList())
                .extracting(KubernetesResourceState::getId)
                .containsExactly("kept", "new");
        assertThat(shown().getHealthStatus()).isEqualTo(ApplicationLiveStateSnapshot.Status.OTHER);
    }

    @Test
    void aPatchWithoutASnapshotIsToldBack() {
        assertThat(
                        patch(
                                event(
                                        "e1",
                                        KubernetesResourceStateEvent.Type.ADD_OR_UPDATED,
                                        1,
                                        resource("new", HealthStatus.OTHER))))
                .containsExactly("e1");
        fails(Status.Code.NOT_FOUND, "live state", this::shown);
    }

    @Test
    void theLastAnalysisIsKeptForTheNextOne() {
        var asked =
                GetLatestAnalysisResultRequest.newBuilder()
                        .setApplicationId(home.application())
                        .build();
        fails(
                Status.Code.NOT_FOUND,
                "analysis result",
                () -> home.calls().getLatestAnalysisResult(asked));

        var _ =
                home.calls()
                        .putLatestAnalysisResult(
                                PutLatestAnalysisResultRequest.newBuilder()
                                        .setApplicationId(home.application())
                                        .setAnalysisResult(
                                                AnalysisResult.newBuilder().setStartTime(7))
                                        .build());

        assertThat(home.calls().getLatestAnalysisResult(asked).getAnalysisResult().getStartTime())
                .isEqualTo(7);
        assertThat(world.file("latest-analysis-result/" + home.application() + ".json"))
                .hasContent("{\"start_time\":7}");
    }
}
