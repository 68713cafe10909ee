// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.plugin.testkit.FakeAgent.Answer;
import dev.pipecd.plugin.testkit.StageOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What one plugin does wrong is told, and its neighbours in the host go on.
class HostSurvivalTest {
    @TempDir Path home;

    private FakeAgent agent;
    private Stage.Work<NoOptions> work = _ -> new StageOutcome.Succeeded();

    @BeforeEach
    void openAgent() throws Exception {
        agent = FakeAgent.open("secret");
    }

    @AfterEach
    void closeAgent() {
        agent.close();
    }

    /// Two plugins in one host: one with this name, and its neighbour.
    private PluginHost host(String name) throws Exception {
        var config = home.resolve("plugins.json");
        Files.writeString(
                config,
                """
                {"token": "secret", "stateDirectory": "%s", "plugins": [{"name": "%s", "builtin": "test"}, {"name": "neighbour", "builtin": "test"}]}
                """
                        .formatted(home.resolve("state"), name));
        return PluginHost.open(
                List.of(
                        "host",
                        "--piped-plugin-service",
                        agent.address(),
                        "--config-file",
                        config.toString()),
                List.of(
                        StagePlugin.named(
                                "test", Stage.of("TEST", NoOptions.class, run -> work.run(run)))),
                InstantSource.system());
    }

    private Answer run(String plugin) throws Exception {
        return agent.execute(new StageOrder(plugin, "stage-1", "TEST", 0, "{}", home))
                .get(5, TimeUnit.MINUTES);
    }

    /// As of a class that was left out of the pack.
    @Test
    void aStageThatEndsInAnErrorFails() throws Exception {
        work =
                _ -> {
                    throw new NoClassDefFoundError("com/example/Client");
                };
        try (var _ = host("own")) {
            assertThat(run("own"))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "the plugin broke: NoClassDefFoundError. See the plugin host's log."));
            assertThat(agent.heard().complete("stage-1")).isTrue();

            work = _ -> new StageOutcome.Succeeded();

            assertThat(run("own").status()).isEqualTo("STAGE_SUCCESS");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "No space left on device | java.io.IOException: No space left on device",
                "403 for https://store.example/a?sig=s3cret | UncheckedIOException"
            })
    void aStageThatCannotWriteSaysWhyUnlessItCouldBeASecret(String message, String told)
            throws Exception {
        work =
                _ -> {
                    throw new UncheckedIOException(new IOException(message));
                };
        try (var _ = host("own")) {
            assertThat(run("own"))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "the plugin broke: " + told + ". See the plugin host's log."));
        }
    }

    private Future<Answer> begin() {
        return agent.execute(new StageOrder("own", "stage-1", "TEST", 0, "{}", home));
    }

    private void awaitLine(String line) {
        await().atMost(Duration.ofMinutes(5))
                .until(() -> agent.heard().lines("stage-1").contains(line));
    }

    private static Stream<Consumer<InterruptedException>> wrappings() {
        return Stream.of(
                e -> {
                    throw new AssertionError(e);
                },
                e -> {
                    throw new Problem(Problem.Code.STORE_UNAVAILABLE, "store: cut off", "", e);
                });
    }

    @ParameterizedTest
    @MethodSource("wrappings")
    void aStageThatIsInterruptedAndWrapsItIsStopped(Consumer<InterruptedException> wrapping)
            throws Exception {
        work =
                run -> {
                    run.log("begun");
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        wrapping.accept(e);
                    }
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host("own")) {
            var call = begin();
            awaitLine("begun");

            agent.stop("own", "stage-1", "enough");

            assertThat(call.get(5, TimeUnit.MINUTES))
                    .isEqualTo(new Answer("STAGE_CANCELLED", "enough"));
        }
    }

    /// As of a pool of its own threads that was shut down when one of them failed.
    @Test
    void aStageThatFailsByAnInterruptNobodyOrderedFails() throws Exception {
        work =
                _ -> {
                    throw new IllegalStateException(
                            new ExecutionException(new InterruptedException()));
                };
        try (var _ = host("own")) {
            assertThat(run("own"))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "the plugin broke: IllegalStateException. See the plugin host's log."));
            assertThat(agent.heard().complete("stage-1")).isTrue();
        }
    }

    /// Nothing in Java keeps an author from null.
    @SuppressWarnings("NullAway")
    private static Stream<Arguments> holes() {
        Stage.Work<NoOptions> none = _ -> null;
        Stage.Work<NoOptions> unreasoned = _ -> new StageOutcome.Failed(null);
        return Stream.of(
                Arguments.of(
                        none,
                        "outcome: none (expected: succeeded, failed, skipped or exited). This is a fault of the plugin:"
                                + " tell its author."),
                Arguments.of(
                        unreasoned,
                        "the plugin broke: NullPointerException. See the plugin host's log."));
    }

    @ParameterizedTest
    @MethodSource("holes")
    void anOutcomeWithAHoleFailsTheStageAndItsLogIsClosed(Stage.Work<NoOptions> hole, String told)
            throws Exception {
        work = hole;
        try (var _ = host("own")) {
            assertThat(run("own")).isEqualTo(new Answer("STAGE_FAILURE", told));
        }

        assertThat(agent.heard().lines("stage-1")).containsExactly(told);
        assertThat(agent.heard().complete("stage-1")).isTrue();
    }

    @Test
    void aPluginMayHaveAnyNameThatAFileCanHave() throws Exception {
        try (var _ = host("wait approval@déploy")) {
            assertThat(run("wait approval@déploy").status()).isEqualTo("STAGE_SUCCESS");
            assertThat(run("neighbour").status()).isEqualTo("STAGE_SUCCESS");
        }
        assertThat(home.resolve("state/wait approval@déploy/deployment-1+stage-1")).isDirectory();
    }

    @Test
    void aStateDirectoryThatCannotBeMadeIsNamed() throws Exception {
        var state = Files.writeString(home.resolve("state"), "in the way");
        try (var _ = host("own")) {
            assertThat(run("own"))
                    .isEqualTo(
                            new Answer(
                                    "STAGE_FAILURE",
                                    "state directory: %1$s/own/deployment-1+stage-1 cannot be made: java.nio.file.FileAlreadyExistsException: %1$s"
                                                    .formatted(state)
                                            + " (expected: a folder the plugin can write, on a disk with room). Make room or mend its rights;"
                                            + " it is in `--data-dir` of the agent, or in $HOME/.piped with the public one."));
            Files.delete(state);

            assertThat(run("own").status()).isEqualTo("STAGE_SUCCESS");
        }
    }

    private static final int MANY = 20_000;

    private Stage.Work<NoOptions> talking(AtomicInteger told) {
        return run -> {
            for (int n = 0; n < MANY; n++) {
                run.log("x".repeat(1000));
                told.incrementAndGet();
            }
            return new StageOutcome.Succeeded();
        };
    }

    @Test
    void aStageThatTellsMoreThanTheAgentTakesWaits() throws Exception {
        var told = new AtomicInteger();
        work = talking(told);
        agent.heard().deaf(true);
        try (var _ = host("own")) {
            var call = begin();
            await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().missed() > 3);
            assertThat(told).hasValueLessThan(MANY / 2);

            agent.heard().deaf(false);

            assertThat(call.get(5, TimeUnit.MINUTES).status()).isEqualTo("STAGE_SUCCESS");
        }
        assertThat(agent.heard().lines("stage-1")).hasSize(MANY);
    }

    @Test
    void aStageThatWaitsToTellIsStopped() throws Exception {
        work = talking(new AtomicInteger());
        agent.heard().deaf(true);
        try (var _ = host("own")) {
            var call = begin();
            await().atMost(Duration.ofMinutes(5)).until(() -> agent.heard().missed() > 3);

            agent.stop("own", "stage-1", "enough");

            assertThat(call.get(5, TimeUnit.MINUTES))
                    .isEqualTo(new Answer("STAGE_CANCELLED", "enough"));
        }
    }

    @Test
    void aStageThatTellsMuchAfterItsStopDoesNotWaitForTheAgent() throws Exception {
        work =
                run -> {
                    run.log("begun");
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        var _ = talking(new AtomicInteger()).run(run);
                        agent.heard().deaf(false);
                        run.awaitLinesTaken();
                        throw e;
                    }
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host("own")) {
            var call = begin();
            awaitLine("begun");
            agent.heard().deaf(true);

            agent.stop("own", "stage-1", "enough");

            assertThat(call.get(5, TimeUnit.MINUTES))
                    .isEqualTo(new Answer("STAGE_CANCELLED", "enough"));
        }
        assertThat(agent.heard().lines("stage-1"))
                .hasSizeLessThan(MANY)
                .endsWith(
                        "The rest is left out: the stage is stopped, and the agent takes no lines",
                        "stopped: enough");
    }

    record Spec(@Otherwise("\"index.html\"") String file) {}

    @Test
    void whatNobodyReadsInTheApplicationsFileStandsOnceInTheStagesLog() throws Exception {
        Files.writeString(
                home.resolve("app.pipecd.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: Application
                spec:
                  plugins: {own: {fiel: other.html}}
                """);
        work =
                run -> {
                    run.log(run.source().spec(Spec.class).file());
                    run.log(run.source().spec(Spec.class).file());
                    return new StageOutcome.Succeeded();
                };
        try (var _ = host("own")) {
            run("own");
        }

        assertThat(agent.heard().lines("stage-1"))
                .containsExactly(
                        "app.pipecd.yaml: plugins.own: fiel: no option (expected: one of file); it is passed over",
                        "index.html",
                        "index.html");
    }

    @Test
    void whatNobodyReadsInThePluginsConfigurationIsTold() {
        var here = new DeployTarget("here", Map.of(), "{\"file\": \"a\", \"skipOn\": {}}");
        var entry = new HostConfig.Entry("own", "test", 0, "{\"fiel\": 1}", List.of(here));
        var plugin =
                new StageOwner() {
                    @Override
                    public String name() {
                        return "test";
                    }

                    @Override
                    public List<Stage<?>> stages() {
                        return List.of();
                    }

                    @Override
                    public Class<?> targetConfigType() {
                        return Spec.class;
                    }
                };

        assertThat(HostedSurroundings.mistakes(entry, plugin)).isEmpty();
        assertThat(HostedSurroundings.passedOver(entry, plugin))
                .containsExactly(
                        "config: fiel: no option (expected: nothing)",
                        "deployTargets.here.config: skipOn: no option (expected: one of file)");
    }
}
