// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import dev.pipecd.plugin.platform.DeploymentPlugin;
import dev.pipecd.plugin.platform.Drift;
import dev.pipecd.plugin.platform.DriftPlugin;
import dev.pipecd.plugin.platform.Health;
import dev.pipecd.plugin.platform.LiveState;
import dev.pipecd.plugin.platform.LiveStatePlugin;
import dev.pipecd.plugin.platform.PlanPreviewPlugin;
import dev.pipecd.plugin.platform.Planning;
import dev.pipecd.plugin.platform.Question;
import dev.pipecd.plugin.platform.Resource;
import dev.pipecd.plugin.platform.Strategy;
import dev.pipecd.plugin.platform.TargetPreview;
import dev.pipecd.plugin.platform.Version;
import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageOwner;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeployTargets;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.plugin.common.DeploymentSource;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.BuildPipelineSyncStagesRequest.StageConfig;
import dev.pipecd.wire.plugin.deployment.BuildQuickSyncStagesRequest;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.DetermineStrategyRequest;
import dev.pipecd.wire.plugin.deployment.DetermineVersionsRequest;
import dev.pipecd.wire.plugin.deployment.PlanPluginInput;
import dev.pipecd.wire.plugin.description.DescribeRequest;
import dev.pipecd.wire.plugin.description.PluginDescriptionGrpc;
import dev.pipecd.wire.plugin.description.StageDescription;
import dev.pipecd.wire.plugin.livestate.GetLivestateRequest;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A plugin of every role in a host inside this process, asked over the real protocol.
class RolesTest {
    record Target(String region) {}

    record Spec(@Otherwise("\"none\"") String image) {}

    record Scale(int percent) {}

    private static final CountDownLatch LOOKING = new CountDownLatch(1);
    private static final CountDownLatch INTERRUPTED = new CountDownLatch(1);

    /// Says where it looked, so that a test sees what it was told.
    static final class Cloud
            implements DeploymentPlugin, LiveStatePlugin, DriftPlugin, PlanPreviewPlugin {
        @Override
        public String name() {
            return "cloud";
        }

        @Override
        public Class<?> targetConfigType() {
            return Target.class;
        }

        @Override
        public List<Stage<?>> stages() {
            return List.of(Stage.of("CLOUD_SCALE", Scale.class, _ -> new StageOutcome.Succeeded()));
        }

        @Override
        public Stage<?> quickSync() {
            return Stage.of("CLOUD_SYNC", NoOptions.class, _ -> new StageOutcome.Succeeded());
        }

        @Override
        public Stage<NoOptions> rollback() {
            return Stage.of("CLOUD_ROLLBACK", NoOptions.class, _ -> new StageOutcome.Succeeded());
        }

        @Override
        public List<Version> versions(Planning plan) {
            return List.of(
                    new Version(
                            plan.applicationName(), plan.source().spec(Spec.class).image(), ""));
        }

        @Override
        public Strategy strategy(Planning plan) {
            var same =
                    plan.runningSource()
                            .map(running -> running.spec(Spec.class))
                            .equals(Optional.of(plan.source().spec(Spec.class)));
            return same ? Strategy.quickSync("only scaled") : Strategy.pipeline("a new image");
        }

        @Override
        public LiveState liveState(Question question) throws IOException, InterruptedException {
            if (question.applicationName().equals("away"))
                throw new IOException("the cloud does not answer");
            if (question.applicationName().equals("slow")) {
                LOOKING.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    INTERRUPTED.countDown();
                    throw e;
                }
            }
            var target = question.deployTargets().getFirst();
            var region = question.config(target, Target.class).region();
            var service = new Resource.Identity("s", "Service", region, target.name());
            var task = new Resource.Identity("t", "Task", "task", target.name());
            return LiveState.of(
                    Resource.of(service, Health.healthy(), Instant.ofEpochSecond(7)),
                    Resource.of(task, Health.unhealthy("crashes"), Instant.EPOCH).under("s"));
        }

        @Override
        public Drift drift(Question question, LiveState live) {
            return new Drift.Drifted(
                    live.resources().size() + " resources, one image", "- old\n+ new");
        }

        @Override
        public List<TargetPreview> preview(Question question) {
            return List.of(
                    TargetPreview.diff("berlin", "1 changed", "+ image"),
                    TargetPreview.unchanged("rome"));
        }
    }

    @TempDir Path home;

    private FakeAgent agent;

    @BeforeEach
    void openAgent() throws Exception {
        agent = FakeAgent.open("secret");
    }

    @AfterEach
    void closeAgent() {
        agent.close();
    }

    private PluginHost host(StageOwner plugin, String region) throws Exception {
        var config = home.resolve("plugins.json");
        Files.writeString(
                config,
                """
                {"token": "secret", "stateDirectory": "%s", "plugins": [{"name": "own", "builtin": "%s",
                 "deployTargets": [{"name": "berlin", "config": {"region": %s}}, {"name": "rome", "config": {"region": "south"}}]}]}
                """
                        .formatted(home.resolve("state"), plugin.name(), region));
        var args = List.of("host", "--piped-plugin-service", agent.address(), "--config-file");
        return PluginHost.open(
                Stream.concat(args.stream(), Stream.of(config.toString())).toList(),
                List.of(plugin),
                InstantSource.fixed(Instant.ofEpochSecond(1000)));
    }

    private interface Use<T> {
        T of(ManagedChannel channel) throws Exception;
    }

    private <T> T ask(StageOwner plugin, String region, Use<T> use) throws Exception {
        try (var _ = host(plugin, region)) {
            var headers = new Metadata();
            headers.put(AgentClient.AUTHORIZATION, AgentClient.authorization("secret"));
            var channel =
                    NettyChannelBuilder.forAddress("localhost", agent.heard().awaitPort("own"))
                            .usePlaintext()
                            .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                            .build();
            try {
                return use.of(channel);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private <T> T ask(Use<T> use) throws Exception {
        return ask(new Cloud(), "\"north\"", use);
    }

    private DeploymentSource source(String image) {
        return DeploymentSource.newBuilder()
                .setApplicationDirectory(home.toString())
                .setApplicationConfigFilename("app.pipecd.yaml")
                .setApplicationConfig(
                        ByteString.copyFromUtf8(
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  plugins: {own: {image: %s, future: 1}}
                                """
                                        .formatted(image)))
                .build();
    }

    private static Deployment deployment() {
        var commit =
                Commit.newBuilder()
                        .setHash("0123abcd")
                        .setMessage("Change the page")
                        .setAuthor("ann")
                        .setBranch("main")
                        .setCreatedAt(1);
        var repository =
                ApplicationGitRepository.newBuilder().setId("r1").setRemote("x").setBranch("main");
        return Deployment.newBuilder()
                .setId("d1")
                .setApplicationId("a1")
                .setApplicationName("site")
                .setPipedId("p1")
                .setProjectId("project")
                .setGitPath(ApplicationGitPath.newBuilder().setRepo(repository).setPath("site"))
                .setTrigger(DeploymentTrigger.newBuilder().setCommit(commit).setTimestamp(1))
                .putDeployTargetsByPlugin(
                        "own", DeployTargets.newBuilder().addDeployTargets("berlin").build())
                .setCreatedAt(1)
                .setUpdatedAt(1)
                .build();
    }

    private PlanPluginInput planning(String running, String target) {
        return PlanPluginInput.newBuilder()
                .setDeployment(deployment())
                .setRunningDeploymentSource(source(running))
                .setTargetDeploymentSource(source(target))
                .build();
    }

    private GetLivestateRequest look(String name, String... targets) {
        return GetLivestateRequest.newBuilder()
                .setApplicationId("a1")
                .setApplicationName(name)
                .setDeploySource(source("v1"))
                .addAllDeployTargets(List.of(targets))
                .build();
    }

    @Test
    void versionsComeFromWhatTheApplicationsFileSays() throws Exception {
        var request = DetermineVersionsRequest.newBuilder().setInput(planning("v1", "v2")).build();

        var versions =
                ask(channel ->
                        DeploymentServiceGrpc.newBlockingStub(channel).determineVersions(request));

        assertThat(versions.getVersionsList())
                .extracting(version -> version.getName() + ":" + version.getVersion())
                .containsExactly("site:v2");
    }

    @Test
    void theStrategyIsThePlugins() throws Exception {
        var strategies =
                ask(channel -> {
                    var stub = DeploymentServiceGrpc.newBlockingStub(channel);
                    return Stream.of("v1", "v2")
                            .map(target ->
                                    stub.determineStrategy(
                                            DetermineStrategyRequest.newBuilder()
                                                    .setInput(planning("v1", target))
                                                    .build()))
                            .map(each -> each.getSyncStrategy() + ": " + each.getSummary())
                            .toList();
                });

        assertThat(strategies).containsExactly("QUICK_SYNC: only scaled", "PIPELINE: a new image");
    }

    @Test
    void aQuickSyncIsItsOneStageAndWhatUndoesIt() throws Exception {
        var stages =
                ask(channel ->
                        DeploymentServiceGrpc.newBlockingStub(channel)
                                .buildQuickSyncStages(
                                        BuildQuickSyncStagesRequest.newBuilder()
                                                .setRollback(true)
                                                .build())
                                .getStagesList());

        assertThat(stages)
                .extracting(RolesTest::told)
                .containsExactly("0 CLOUD_SYNC", "0 CLOUD_ROLLBACK rollback");
    }

    private static String told(PipelineStage stage) {
        return stage.getIndex() + " " + stage.getName() + (stage.getRollback() ? " rollback" : "");
    }

    private BuildPipelineSyncStagesRequest pipeline(String scale) {
        return BuildPipelineSyncStagesRequest.newBuilder()
                .setRollback(true)
                .addStages(
                        StageConfig.newBuilder()
                                .setIndex(4)
                                .setName("CLOUD_SCALE")
                                .setConfig(ByteString.copyFromUtf8(scale)))
                .addStages(StageConfig.newBuilder().setIndex(2).setName("CLOUD_SYNC"))
                .build();
    }

    @Test
    void aPipelineIsUndoneOnceAtItsFirstStage() throws Exception {
        var stages =
                ask(channel ->
                        DeploymentServiceGrpc.newBlockingStub(channel)
                                .buildPipelineSyncStages(pipeline("{\"percent\": 5}"))
                                .getStagesList());

        assertThat(stages)
                .extracting(RolesTest::told)
                .containsExactly("4 CLOUD_SCALE", "2 CLOUD_SYNC", "2 CLOUD_ROLLBACK rollback");
    }

    @Test
    void anOptionThatMeansNothingFailsThePlan() {
        assertThatThrownBy(() ->
                        ask(channel ->
                                DeploymentServiceGrpc.newBlockingStub(channel)
                                        .buildPipelineSyncStages(pipeline("{\"precent\": 5}"))))
                .hasMessage(
                        "INVALID_ARGUMENT: stage 4 CLOUD_SCALE: percent: missing (expected: a whole number); "
                                + "precent: no option (expected: one of percent)");
    }

    @Test
    void liveStateAndDriftTravelTogether() throws Exception {
        var answer =
                ask(channel ->
                        LivestateServiceGrpc.newBlockingStub(channel)
                                .getLivestate(look("site", "berlin")));

        assertThat(answer.getApplicationLiveState().getHealthStatus().name()).isEqualTo("OTHER");
        assertThat(answer.getApplicationLiveState().getResourcesList())
                .extracting(each ->
                        String.join(
                                " ",
                                each.getName(),
                                each.getDeployTarget(),
                                each.getPluginName(),
                                each.getHealthStatus().name(),
                                each.getParentIdsList().toString(),
                                each.getCreatedAt() + "-" + each.getUpdatedAt()))
                .containsExactly(
                        "north berlin own HEALTHY [] 7-1000",
                        "task berlin own UNHEALTHY [s] 1-1000");
        assertThat(answer.getSyncState().getStatus()).isEqualTo(ApplicationSyncStatus.OUT_OF_SYNC);
        assertThat(answer.getSyncState().getShortReason()).isEqualTo("2 resources, one image");
    }

    @Test
    void aTargetNobodyConfiguredIsRefused() {
        assertThatThrownBy(() ->
                        ask(channel ->
                                LivestateServiceGrpc.newBlockingStub(channel)
                                        .getLivestate(look("site", "paris"))))
                .hasMessage(
                        "INVALID_ARGUMENT: deploy target: \"paris\" (expected: one of [berlin, rome])");
    }

    /// UNAVAILABLE would tell the agent that the plugin is away, and to ask it again and again.
    @Test
    void whatAPluginCannotReachIsToldInItsWords() {
        assertThatThrownBy(() ->
                        ask(channel ->
                                LivestateServiceGrpc.newBlockingStub(channel)
                                        .getLivestate(look("away", "berlin"))))
                .hasMessage("INTERNAL: java.io.IOException: the cloud does not answer");
    }

    @Test
    void aLookNobodyWaitsForIsInterrupted() throws Exception {
        ask(channel -> {
            var call = Context.current().withCancellation();
            var stub = LivestateServiceGrpc.newBlockingStub(channel);
            Thread.startVirtualThread(
                    call.wrap(() -> {
                        try {
                            var _ = stub.getLivestate(look("slow", "berlin"));
                        } catch (StatusRuntimeException e) {
                            // It is cancelled below.
                        }
                    }));
            assertThat(LOOKING.await(5, TimeUnit.MINUTES)).isTrue();
            call.cancel(null);
            return assertThat(INTERRUPTED.await(5, TimeUnit.MINUTES)).isTrue();
        });
    }

    @Test
    void aPreviewHasAResultForEachTarget() throws Exception {
        var request =
                GetPlanPreviewRequest.newBuilder()
                        .setApplicationId("a1")
                        .setTargetDeploymentSource(source("v2"))
                        .addDeployTargets("berlin")
                        .build();

        var answer =
                ask(channel ->
                        PlanPreviewServiceGrpc.newBlockingStub(channel).getPlanPreview(request));

        assertThat(answer.getResultsList())
                .extracting(each ->
                        each.getDeployTarget()
                                + " "
                                + each.getNoChange()
                                + " "
                                + each.getSummary()
                                + " "
                                + each.getDetails().toStringUtf8())
                .containsExactly(
                        "berlin false 1 changed + image", "rome true No changes were detected ");
    }

    @Test
    void whatAPluginDoesNotDoIsUnimplemented() {
        var plugin = StagePlugin.named("plain");

        assertThatThrownBy(() ->
                        ask(
                                plugin,
                                "\"north\"",
                                channel ->
                                        LivestateServiceGrpc.newBlockingStub(channel)
                                                .getLivestate(look("site", "berlin"))))
                .hasMessageStartingWith("UNIMPLEMENTED");
        assertThatThrownBy(() ->
                        ask(
                                plugin,
                                "\"north\"",
                                channel ->
                                        PlanPreviewServiceGrpc.newBlockingStub(channel)
                                                .getPlanPreview(
                                                        GetPlanPreviewRequest
                                                                .getDefaultInstance())))
                .hasMessageStartingWith("UNIMPLEMENTED");
    }

    @Test
    void aWrongTargetIsToldWhereverThePluginIsNeeded() throws Exception {
        assertThatThrownBy(() ->
                        ask(
                                new Cloud(),
                                "5",
                                channel ->
                                        DeploymentServiceGrpc.newBlockingStub(channel)
                                                .buildPipelineSyncStages(pipeline("{}"))))
                .hasMessage(
                        "FAILED_PRECONDITION: deployTargets.berlin.config: region: a number (expected: text)");
        assertThat(agent.heard().mistakes("own"))
                .containsExactly("deployTargets.berlin.config: region: a number (expected: text)");
    }

    @Test
    void itTellsItsRolesAndTheSchemasOfItsOptions() throws Exception {
        var told =
                ask(channel ->
                        PluginDescriptionGrpc.newBlockingStub(channel)
                                .describe(DescribeRequest.getDefaultInstance()));

        assertThat(told.getRolesList())
                .containsExactly("deployment", "live-state", "drift", "plan-preview");
        assertThat(told.getStagesList())
                .extracting(StageDescription::getName, StageDescription::getRollback)
                .containsExactly(
                        tuple("CLOUD_SCALE", false),
                        tuple("CLOUD_SYNC", false),
                        tuple("CLOUD_ROLLBACK", true));
        assertThat(told.getStages(0).getOptionsSchema())
                .isEqualTo(
                        "{\"type\":\"object\",\"properties\":{\"percent\":{\"type\":\"integer\"}},"
                                + "\"required\":[\"percent\"],\"additionalProperties\":false,"
                                + "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}");
        assertThat(told.getTargetConfigSchema()).contains("region").doesNotContain("timeout");
    }
}
