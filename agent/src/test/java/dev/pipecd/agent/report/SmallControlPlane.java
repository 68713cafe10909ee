// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationInfo;
import dev.pipecd.wire.model.ApplicationLiveStateSnapshot;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportApplicationLiveStateRequest;
import dev.pipecd.wire.piped.ReportApplicationLiveStateResponse;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateResponse;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import dev.pipecd.wire.piped.ReportCommandHandledResponse;
import dev.pipecd.wire.piped.ReportUnregisteredApplicationConfigurationsRequest;
import dev.pipecd.wire.piped.ReportUnregisteredApplicationConfigurationsResponse;
import dev.pipecd.wire.piped.UpdateApplicationConfigurationsRequest;
import dev.pipecd.wire.piped.UpdateApplicationConfigurationsResponse;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A control plane that takes reports about applications and remembers them, on a real port.
public final class SmallControlPlane extends PipedServiceGrpc.PipedServiceImplBase
        implements AutoCloseable {
    public final List<ApplicationLiveStateSnapshot> snapshots = new CopyOnWriteArrayList<>();
    public final List<ReportApplicationSyncStateRequest> states = new CopyOnWriteArrayList<>();
    public final List<ReportCommandHandledRequest> handled = new CopyOnWriteArrayList<>();
    public final List<List<ApplicationInfo>> suggested = new CopyOnWriteArrayList<>();
    public final List<ApplicationInfo> corrected = new CopyOnWriteArrayList<>();
    private final Server server;
    private final ControlPlaneClient client;
    private volatile boolean away;
    private volatile boolean snapshotsRefused;

    private SmallControlPlane() throws IOException {
        this.server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(this)
                        .build()
                        .start();
        this.client =
                new ControlPlaneClient(
                        "127.0.0.1:" + server.getPort(),
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("p1"),
                        "key",
                        Duration.ofMinutes(2));
    }

    public static SmallControlPlane open() throws IOException {
        return new SmallControlPlane();
    }

    public ControlPlaneClient client() {
        return client;
    }

    /// Answers nobody until it is back.
    public void away(boolean now) {
        away = now;
    }

    public void refuseSnapshots() {
        snapshotsRefused = true;
    }

    public List<ApplicationSyncStatus> statuses(String application) {
        return states.stream()
                .filter(s -> s.getApplicationId().equals(application))
                .map(s -> s.getState().getStatus())
                .toList();
    }

    public List<String> reasons(String application) {
        return states.stream()
                .filter(s -> s.getApplicationId().equals(application))
                .map(s -> s.getState().getReason())
                .toList();
    }

    @Override
    public void reportApplicationLiveState(
            ReportApplicationLiveStateRequest request,
            StreamObserver<ReportApplicationLiveStateResponse> answer) {
        if (refused(answer)) return;
        if (snapshotsRefused) {
            answer.onError(Status.INVALID_ARGUMENT.withDescription("no").asRuntimeException());
            return;
        }
        snapshots.add(request.getSnapshot());
        reply(answer, ReportApplicationLiveStateResponse.getDefaultInstance());
    }

    @Override
    public void reportApplicationSyncState(
            ReportApplicationSyncStateRequest request,
            StreamObserver<ReportApplicationSyncStateResponse> answer) {
        if (refused(answer)) return;
        states.add(request);
        reply(answer, ReportApplicationSyncStateResponse.getDefaultInstance());
    }

    @Override
    public void reportCommandHandled(
            ReportCommandHandledRequest request,
            StreamObserver<ReportCommandHandledResponse> answer) {
        if (refused(answer)) return;
        handled.add(request);
        reply(answer, ReportCommandHandledResponse.getDefaultInstance());
    }

    @Override
    public void updateApplicationConfigurations(
            UpdateApplicationConfigurationsRequest request,
            StreamObserver<UpdateApplicationConfigurationsResponse> answer) {
        if (refused(answer)) return;
        corrected.addAll(request.getApplicationsList());
        reply(answer, UpdateApplicationConfigurationsResponse.getDefaultInstance());
    }

    @Override
    public void reportUnregisteredApplicationConfigurations(
            ReportUnregisteredApplicationConfigurationsRequest request,
            StreamObserver<ReportUnregisteredApplicationConfigurationsResponse> answer) {
        if (refused(answer)) return;
        suggested.add(request.getApplicationsList());
        reply(answer, ReportUnregisteredApplicationConfigurationsResponse.getDefaultInstance());
    }

    private boolean refused(StreamObserver<?> answer) {
        // Asked once: whoever hears the error may say at once that it is back.
        if (!away) return false;
        answer.onError(Status.UNAVAILABLE.asRuntimeException());
        return true;
    }

    private static <T> void reply(StreamObserver<T> answer, T message) {
        answer.onNext(message);
        answer.onCompleted();
    }

    @Override
    public void close() {
        client.close();
        server.shutdownNow();
    }
}
