// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.CreateDeploymentResponse;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.piped.ListApplicationsResponse;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsRequest;
import dev.pipecd.wire.piped.ListNotCompletedDeploymentsResponse;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.ListUnhandledCommandsResponse;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportApplicationMostRecentDeploymentRequest;
import dev.pipecd.wire.piped.ReportApplicationMostRecentDeploymentResponse;
import dev.pipecd.wire.piped.ReportDeploymentCompletedRequest;
import dev.pipecd.wire.piped.ReportDeploymentCompletedResponse;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportPipedMetaResponse;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.piped.ReportStatResponse;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The agent as a whole, with an application that was registered before there were plugins.
@SuppressWarnings("deprecation") // the public protocol still carries kind and provider
final class OldRegistrationTest {
    private static final String PIPED =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: p
              pipedID: i
              pipedKeyData: a2V5
              apiAddress: 127.0.0.1:%d
              repositories: [{repoId: shops, remote: "%s", branch: main}]
              plugins: [{name: kubernetes, url: "builtin:fake", config: {behaviour: good}}]
              platformProviders: [{name: production, type: KUBERNETES}]
            """;

    private static final String FILE =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec: {name: shop, planner: {alwaysUsePipeline: true}, pipeline: {stages: [{name: FAKE}]}}
            """;

    @TempDir Path directory;

    @Test
    void aProviderTheAgentDoesNotHaveFailsTheDeploymentByItsName() throws Exception {
        var remote = GitRemote.init(directory.resolve("remote"));
        remote.write("shop/app.pipecd.yaml", FILE).commit("Add the shop");
        var controlPlane = new OneApplication();
        var server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(controlPlane)
                        .build()
                        .start();

        try (var _ = agent(server.getPort(), remote)) {
            var ended = controlPlane.ended.poll(5, TimeUnit.MINUTES);

            assertThat(ended).isNotNull();
            assertThat(ended.getStatus()).isEqualTo(DeploymentStatus.DEPLOYMENT_FAILURE);
            assertThat(ended.getStatusReason())
                    .contains("platform provider: \"prod\" (expected: one of production)");
        } finally {
            server.shutdownNow();
        }
    }

    private Agent agent(int port, GitRemote remote) throws Exception {
        return new Agent(
                new AgentSettings(
                        Documents.piped(
                                "piped.yaml",
                                PIPED.formatted(port, remote.address())
                                        .getBytes(StandardCharsets.UTF_8)),
                        new ControlPlaneClient.Security.Plaintext(),
                        directory.resolve("data"),
                        0,
                        true,
                        new AgentSettings.ForPlugins(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        "dev.pipecd.agent.plugin.FakePluginHost"),
                                0,
                                directory.resolve("tools"),
                                false,
                                Duration.ofSeconds(5)),
                        ""));
    }

    /// Has one application, and hears what becomes of its deployment.
    private static final class OneApplication extends PipedServiceGrpc.PipedServiceImplBase {
        private final BlockingQueue<ReportDeploymentCompletedRequest> ended =
                new LinkedBlockingQueue<>();

        @Override
        public void reportPipedMeta(
                ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
            reply(answer, ReportPipedMetaResponse.newBuilder().setName("dev").build());
        }

        @Override
        public void reportStat(
                ReportStatRequest request, StreamObserver<ReportStatResponse> answer) {
            reply(answer, ReportStatResponse.getDefaultInstance());
        }

        @Override
        public void listApplications(
                ListApplicationsRequest request, StreamObserver<ListApplicationsResponse> answer) {
            var application =
                    Application.newBuilder()
                            .setId("a1")
                            .setName("shop")
                            .setPipedId("i")
                            .setProjectId("p")
                            .setKind(ApplicationKind.KUBERNETES)
                            .setPlatformProvider("prod")
                            .setGitPath(
                                    ApplicationGitPath.newBuilder()
                                            .setRepo(
                                                    ApplicationGitRepository.newBuilder()
                                                            .setId("shops"))
                                            .setPath("shop")
                                            .setConfigFilename("app.pipecd.yaml"));
            reply(
                    answer,
                    ListApplicationsResponse.newBuilder().addApplications(application).build());
        }

        @Override
        public void listUnhandledCommands(
                ListUnhandledCommandsRequest request,
                StreamObserver<ListUnhandledCommandsResponse> answer) {
            reply(answer, ListUnhandledCommandsResponse.getDefaultInstance());
        }

        @Override
        public void listNotCompletedDeployments(
                ListNotCompletedDeploymentsRequest request,
                StreamObserver<ListNotCompletedDeploymentsResponse> answer) {
            reply(answer, ListNotCompletedDeploymentsResponse.getDefaultInstance());
        }

        @Override
        public void createDeployment(
                CreateDeploymentRequest request, StreamObserver<CreateDeploymentResponse> answer) {
            reply(answer, CreateDeploymentResponse.getDefaultInstance());
        }

        @Override
        public void reportApplicationMostRecentDeployment(
                ReportApplicationMostRecentDeploymentRequest request,
                StreamObserver<ReportApplicationMostRecentDeploymentResponse> answer) {
            reply(answer, ReportApplicationMostRecentDeploymentResponse.getDefaultInstance());
        }

        @Override
        public void reportDeploymentCompleted(
                ReportDeploymentCompletedRequest request,
                StreamObserver<ReportDeploymentCompletedResponse> answer) {
            ended.add(request);
            reply(answer, ReportDeploymentCompletedResponse.getDefaultInstance());
        }

        private static <T> void reply(StreamObserver<T> answer, T message) {
            answer.onNext(message);
            answer.onCompleted();
        }
    }
}
