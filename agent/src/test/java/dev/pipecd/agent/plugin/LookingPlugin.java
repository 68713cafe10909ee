// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.pipecd.wire.model.ApplicationLiveState;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.ResourceState;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesResponse;
import dev.pipecd.wire.plugin.livestate.GetLivestateRequest;
import dev.pipecd.wire.plugin.livestate.GetLivestateResponse;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewRequest;
import dev.pipecd.wire.plugin.planpreview.GetPlanPreviewResponse;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewResult;
import dev.pipecd.wire.plugin.planpreview.PlanPreviewServiceGrpc;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// A plugin of somebody else, as a process of its own, that looks at what runs and tells what would
/// change; or neither, when its `config.blind` says so.
final class LookingPlugin {
    private LookingPlugin() {}

    public static void main(String[] args) throws Exception {
        var config = new ObjectMapper().readTree(args[4]);
        var server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress("127.0.0.1", config.get("port").asInt()))
                        .addService(new Stages());
        if (!config.at("/config/blind").asBoolean())
            server.addService(new Looks())
                    .addService(new Plans(Path.of(config.at("/config/state").asText())));
        server.build().start().awaitTermination();
    }

    /// An executable file that starts it.
    static Path program(Path directory) throws IOException {
        var file = directory.resolve("looking-plugin");
        if (Files.exists(file)) return file;
        Files.writeString(
                file,
                """
                #!/bin/sh
                exec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \\
                    --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \\
                    -cp '%s' %s "$@"
                """
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                System.getProperty("java.class.path"),
                                LookingPlugin.class.getName()));
        return file;
    }

    private static final class Stages extends DeploymentServiceGrpc.DeploymentServiceImplBase {
        @Override
        public void fetchDefinedStages(
                FetchDefinedStagesRequest request,
                StreamObserver<FetchDefinedStagesResponse> answer) {
            reply(answer, FetchDefinedStagesResponse.newBuilder().addStages("LOOK").build());
        }
    }

    private static final class Looks extends LivestateServiceGrpc.LivestateServiceImplBase {
        @Override
        public void getLivestate(
                GetLivestateRequest request, StreamObserver<GetLivestateResponse> answer) {
            if (request.getDeployTargetsCount() == 0) {
                answer.onError(
                        Status.INVALID_ARGUMENT
                                .withDescription("deploy targets: none")
                                .asRuntimeException());
                return;
            }
            var state = ApplicationLiveState.newBuilder();
            for (var i = 0; i < more(request.getApplicationId()); i++)
                state.addResources(ResourceState.newBuilder().setId("1"));
            reply(
                    answer,
                    GetLivestateResponse.newBuilder()
                            .setApplicationLiveState(
                                    state.addResources(
                                            ResourceState.newBuilder()
                                                    .setId(request.getApplicationId())
                                                    .setName(
                                                            request.getDeploySource()
                                                                    .getCommitHash())
                                                    .setDeployTarget(request.getDeployTargets(0))))
                            .setSyncState(
                                    ApplicationSyncState.newBuilder()
                                            .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                            .setReason(request.getPipedId())
                                            .setTimestamp(1))
                            .build());
        }
    }

    /// Hangs until it is called off when asked about the application `hang`.
    private static final class Plans extends PlanPreviewServiceGrpc.PlanPreviewServiceImplBase {
        private final Path state;

        private Plans(Path state) {
            this.state = state;
        }

        @Override
        public void getPlanPreview(
                GetPlanPreviewRequest request, StreamObserver<GetPlanPreviewResponse> answer) {
            if (request.getApplicationId().equals("hang")) {
                hang();
                return;
            }
            var told = GetPlanPreviewResponse.newBuilder();
            for (var i = 0; i < more(request.getApplicationId()); i++)
                told.addResults(PlanPreviewResult.getDefaultInstance());
            reply(
                    answer,
                    told.addResults(
                                    PlanPreviewResult.newBuilder()
                                            .setDeployTarget(request.getDeployTargets(0))
                                            .setSummary(
                                                    request.getRunningDeploymentSource()
                                                                    .getCommitHash()
                                                            + " to "
                                                            + request.getTargetDeploymentSource()
                                                                    .getCommitHash())
                                            .setNoChange(true)
                                            .setDetails(ByteString.copyFromUtf8("- a\n+ b"))
                                            .setDiffLanguage("hcl"))
                            .build());
        }

        private void hang() {
            try {
                var calledOff = new CountDownLatch(1);
                Context.current().addListener(_ -> calledOff.countDown(), Runnable::run);
                Files.writeString(state.resolve("asked"), "");
                calledOff.await();
                Files.writeString(state.resolve("called-off"), "");
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /// An application whose id is a number gets so much nonsense beside what there is.
    private static int more(String application) {
        return application.matches("\\d+") ? Integer.parseInt(application) : 0;
    }

    private static <T> void reply(StreamObserver<T> answer, T message) {
        answer.onNext(message);
        answer.onCompleted();
    }
}
