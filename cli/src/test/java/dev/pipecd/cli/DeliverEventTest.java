// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Deliveries.STORE_AWAY;
import static dev.pipecd.cli.Deliveries.caused;
import static dev.pipecd.cli.Deliveries.deployment;
import static dev.pipecd.cli.Deliveries.lines;
import static dev.pipecd.cli.Deliveries.listed;
import static dev.pipecd.cli.Deliveries.registered;
import static dev.pipecd.cli.Deliveries.seen;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.GetDeploymentRequest;
import dev.pipecd.wire.api.GetDeploymentResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.api.RegisterEventResponse;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.delivery.GetEventResponse;
import dev.pipecd.wire.delivery.GetStageLogRequest;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.model.Event;
import dev.pipecd.wire.model.EventStatus;
import dev.pipecd.wire.model.StageStatus;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliverEventTest {
    private static final long T0 = 1_794_772_800;
    private static final Object SUCCEEDED =
            seen(DeploymentStatus.DEPLOYMENT_SUCCESS, StageStatus.STAGE_SUCCESS);

    private final RecordingApiService api = RecordingApiService.ours();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theDeploymentsOfAnEventAreKnownByTheCommitThatTheCiTells() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        var earlier = caused("d0", "a1", "abc");
        api.answer(
                        ListDeploymentsRequest.class,
                        listed(earlier),
                        listed(earlier, caused("dx", "a1", "another")),
                        listed(caused("d1", "a1", "abc"), earlier))
                .answer(GetDeploymentRequest.class, SUCCEEDED)
                .answer(GetStageLogRequest.class, lines(true));

        var run =
                new Surroundings()
                        .with("CI", "true")
                        .with("GITHUB_SHA", "abc")
                        .with("GITHUB_SERVER_URL", "https://github.com")
                        .with("GITHUB_REPOSITORY", "org/repo")
                        .with("GITHUB_ACTOR", "ann")
                        .pipectl(server, "deliver", "--event=built", "--data=v2");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                0,
                                "",
                                """
                                Event built is registered (e1); waiting for an agent to take it.
                                Deployment d1 is SUCCESS
                                  stage SCRIPT_RUN is SUCCESS
                                Deployment d1 of site ended as SUCCESS.
                                """));
        assertThat(api.requests(RegisterEventRequest.class))
                .containsExactly(
                        RegisterEventRequest.newBuilder()
                                .setName("built")
                                .setData("v2")
                                .setCommitHash("abc")
                                .setCommitUrl("https://github.com/org/repo/commit/abc")
                                .setCommitAuthor("ann")
                                .build());
        assertThat(api.requests(GetDeploymentRequest.class))
                .extracting(GetDeploymentRequest::getDeploymentId)
                .containsOnly("d1");
    }

    @Test
    void everyApplicationThatIsNamedIsWaitedFor() {
        registered(api, EventStatus.EVENT_SUCCESS);
        api.answer(
                ListDeploymentsRequest.class,
                listed(), // of a1, then of a2, before the event
                listed(),
                listed(caused("d1", "a1", "abc")),
                listed(),
                listed(caused("d1", "a1", "abc")),
                listed(caused("d2", "a2", "abc")));
        Function<GetDeploymentRequest, Object> ended =
                request ->
                        GetDeploymentResponse.newBuilder()
                                .setDeployment(
                                        deployment(
                                                request.getDeploymentId(),
                                                request.getDeploymentId().equals("d1")
                                                        ? DeploymentStatus.DEPLOYMENT_CANCELLED
                                                        : DeploymentStatus.DEPLOYMENT_FAILURE))
                                .build();
        api.answer(GetDeploymentRequest.class, ended);

        var run = deliver("--app-id=a1,a2");

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
                .contains("Deployment d1 of site ended as CANCELLED.\n")
                .contains("Deployment d2 of site ended as FAILURE.\n");
        assertThat(api.requests(ListDeploymentsRequest.class).stream().limit(4))
                .extracting(each -> String.join(",", each.getApplicationIdsList()))
                .containsExactly("a1", "a2", "a1", "a2");
    }

    /// As a busy project does it: hundreds of others have changed since.
    @Test
    void aDeploymentIsFoundHoweverManyOthersThereAre() {
        registered(api, EventStatus.EVENT_SUCCESS);
        var list = new FakeDeploymentList();
        list.add("old", "another", T0 - 7_000, T0 - 7_000);
        list.addMany(120, T0 - 100);
        list.add("d0", "abc", T0 - 3_000, T0 - 2_000);
        list.add("slow", "abc", T0 - 90_000, T0 - 80_000);
        Function<RegisterEventRequest, Object> busy =
                _ -> {
                    list.add("d1", "abc", T0 + 5, T0 + 5);
                    list.addMany(120, T0 + 10);
                    list.change("d0", T0 + 20);
                    list.change("slow", T0 + 20);
                    return RegisterEventResponse.newBuilder().setEventId("e1").build();
                };
        api.answer(ListDeploymentsRequest.class, list)
                .answer(RegisterEventRequest.class, busy)
                .answer(GetDeploymentRequest.class, SUCCEEDED);

        var run = deliver("--logs=false");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(api.requests(GetDeploymentRequest.class))
                .extracting(GetDeploymentRequest::getDeploymentId)
                .containsExactly("d1");
    }

    @Test
    void onlyWhatHasChangedIsReadAgain() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        var list = new FakeDeploymentList();
        list.addMany(30, T0);
        list.addMany(200, T0 - 100);
        list.addMany(200, T0 - 5_000);
        api.answer(ListDeploymentsRequest.class, list);

        var run = deliver("--start-timeout=1s");

        assertThat(run.code()).isEqualTo(5);
        assertThat(api.requests(ListDeploymentsRequest.class))
                .extracting(each -> each.getCursor().isEmpty())
                .startsWith(true, false, false, false, false, true, true);
    }

    @Test
    void aListThatBreaksOffIsReadAgain() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        var list = new FakeDeploymentList();
        list.addMany(1, T0);
        Function<RegisterEventRequest, Object> busy =
                _ -> {
                    list.add("d1", "abc", T0 + 5, T0 + 5);
                    list.addMany(60, T0 + 200);
                    return RegisterEventResponse.newBuilder().setEventId("e1").build();
                };
        api.answer(ListDeploymentsRequest.class, list, list, STORE_AWAY, list)
                .answer(RegisterEventRequest.class, busy)
                .answer(GetDeploymentRequest.class, SUCCEEDED);

        var run = deliver("--logs=false");

        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void anEventThatNobodyTakesIsGivenUp() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        api.answer(ListDeploymentsRequest.class, listed());

        var run = deliver("--start-timeout=2m");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: event: e1 has led to no deployment after 2m (expected: at least one). Check that an agent watches for it, and that its data is new; wait longer with --start-timeout, within --timeout.\n");
    }

    @Test
    void theWholeTimeLimitsTheStartOfAnEventToo() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        api.answer(ListDeploymentsRequest.class, listed());

        var run = deliver("--timeout=90s");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err()).contains("Error: event: e1 has led to no deployment after 1m30s (");
    }

    @ParameterizedTest
    @CsvSource({"1m, 5m, 1m", "10m, 5m, 5m"})
    void whatHasBegunIsFollowedToTheEndOfTheWholeTimeThoughTheRestDoesNotBegin(
            String start, String whole, String told) {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        api.answer(
                        ListDeploymentsRequest.class,
                        listed(),
                        listed(),
                        listed(),
                        listed(caused("d1", "a1", "abc")),
                        listed())
                .answer(
                        GetDeploymentRequest.class,
                        seen(DeploymentStatus.DEPLOYMENT_RUNNING, StageStatus.STAGE_RUNNING));

        var run = deliver("--app-id=a1,a2,a3", "--start-timeout=" + start, "--timeout=" + whole);

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        """
                        Error: event: e1 has led to no deployment of a2, a3 after %s (expected: one of each application). Check that an agent watches for it, and that its data is new; wait longer with --start-timeout, within --timeout.
                        Error: deployment: d1 is RUNNING after 5m (expected: to have ended). Wait longer with --timeout; it goes on meanwhile.
                        """
                                .formatted(told));
    }

    @Test
    void anEventThatFailedIsNotWaitedFor() {
        registered(api, EventStatus.EVENT_FAILURE);
        api.answer(ListDeploymentsRequest.class, listed());

        var run = deliver();

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .endsWith(
                        "Error: event: e1 ended as FAILURE (expected: SUCCESS): no file to change. See the agent's log for the cause.\n");
    }

    @Test
    void anEventThatChangedNothingIsNotWaitedForLong() {
        registered(api, EventStatus.EVENT_NOT_HANDLED);
        eventIs(EventStatus.EVENT_NOT_HANDLED, EventStatus.EVENT_SUCCESS);
        api.answer(ListDeploymentsRequest.class, listed());
        var around = new Surroundings();
        var begin = around.now();

        var run = deliver(around);

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .endsWith(
                        "Error: event: e1 is SUCCESS and has led to no deployment for 2m (expected: at least one): the value is there already. Most likely nothing was to be changed: the version stands in Git already. `pipectl deliver --app-id ID` deploys what stands there. Where agents look at Git less often, or somebody merges first, wait longer with --start-timeout.\n");
        assertThat(Duration.between(begin, around.now()))
                .isBetween(Duration.ofMinutes(2), Duration.ofSeconds(123));
    }

    /// As with an agent that looks at Git every five minutes.
    @Test
    void anEventThatLeadsToSomethingLateIsWaitedForAsLongAsIsSaid() {
        registered(api, EventStatus.EVENT_SUCCESS);
        var around = new Surroundings();
        var begin = around.now();
        Function<ListDeploymentsRequest, Object> slow =
                _ ->
                        Duration.between(begin, around.now()).toMinutes() >= 5
                                ? listed(caused("d1", "a1", "abc"))
                                : listed();
        api.answer(ListDeploymentsRequest.class, slow)
                .answer(GetDeploymentRequest.class, SUCCEEDED);

        var run = deliver(around, "--start-timeout=10m");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).endsWith("Deployment d1 of site ended as SUCCESS.\n");
    }

    @Test
    void anEventThatLeadsToNothingInTheTimeThatIsSaidIsGivenUp() {
        registered(api, EventStatus.EVENT_SUCCESS);
        api.answer(ListDeploymentsRequest.class, listed());

        var run = deliver("--start-timeout=4m");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err()).contains("and has led to no deployment for 4m (");
    }

    @Test
    void theQuietTimeBeginsAnewWithEachDeployment() {
        registered(api, EventStatus.EVENT_SUCCESS);
        var around = new Surroundings();
        var begin = around.now();
        Function<ListDeploymentsRequest, Object> slow =
                request ->
                        request.getApplicationIds(0).equals("a1")
                                        && Duration.between(begin, around.now()).toSeconds() > 100
                                ? listed(caused("d1", "a1", "abc"))
                                : listed();
        api.answer(ListDeploymentsRequest.class, slow)
                .answer(GetDeploymentRequest.class, SUCCEEDED);

        var run = deliver(around, "--app-id=a1,a2");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .contains("Error: event: e1 is SUCCESS and has led to no deployment of a2 for 2m (")
                .endsWith("Deployment d1 of site ended as SUCCESS.\n");
        assertThat(Duration.between(begin, around.now()))
                .isBetween(Duration.ofSeconds(220), Duration.ofSeconds(225));
    }

    @Test
    void thePublicControlPlaneIsEnough() {
        var plain = RecordingApiService.publicOne();
        plain.answer(
                        RegisterEventRequest.class,
                        RegisterEventResponse.newBuilder().setEventId("e1").build())
                .answer(
                        ListDeploymentsRequest.class,
                        listed(),
                        listed(),
                        listed(caused("d1", "a1", "abc")))
                .answer(GetDeploymentRequest.class, SUCCEEDED);
        try (var other = LoopbackServer.plaintext(plain)) {
            var run =
                    new Surroundings()
                            .pipectl(
                                    other,
                                    "deliver",
                                    "--event=built",
                                    "--data=v2",
                                    "--commit-hash=abc",
                                    "--logs=false");

            assertThat(run.code()).as(run.err()).isZero();
        }
    }

    @Test
    void withoutACommitTheDeploymentsCouldNotBeKnown() {
        var run = new Surroundings().pipectl(server, "deliver", "--event=built", "--data=v2");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: --commit-hash: missing (expected: ");
        assertThat(api.requests(RegisterEventRequest.class)).isEmpty();
    }

    private void eventIs(EventStatus... inTurn) {
        api.answer(
                GetEventRequest.class,
                Stream.of(inTurn)
                        .map(status ->
                                GetEventResponse.newBuilder()
                                        .setEvent(
                                                Event.newBuilder()
                                                        .setId("e1")
                                                        .setStatus(status)
                                                        .setStatusDescription(
                                                                "the value is there already"))
                                        .build())
                        .toArray());
    }

    private Run deliver(String... flags) {
        return deliver(new Surroundings(), flags);
    }

    private Run deliver(Surroundings around, String... flags) {
        var args =
                Stream.concat(
                        Stream.of("deliver", "--event=built", "--data=v2", "--commit-hash=abc"),
                        Stream.of(flags));
        return around.pipectl(server, args.toArray(String[]::new));
    }
}
