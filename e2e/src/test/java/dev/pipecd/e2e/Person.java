// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.web.ApproveStageRequest;
import dev.pipecd.wire.web.CancelDeploymentRequest;
import dev.pipecd.wire.web.GetApplicationRequest;
import dev.pipecd.wire.web.GetCommandRequest;
import dev.pipecd.wire.web.GetDeploymentRequest;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.SyncApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Somebody who is logged in, and does what the web UI does for them.
final class Person implements AutoCloseable {
    static final Metadata.Key<String> COOKIE =
            Metadata.Key.of("cookie", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;
    private final String cookie;

    private Person(ManagedChannel channel, String cookie) {
        this.channel = channel;
        this.cookie = cookie;
    }

    static Person login(int port, String project, String user, String password) {
        var form =
                "project=%s&username=%s&password=%s"
                        .formatted(encoded(project), encoded(user), encoded(password));
        var request =
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + port + "/auth/login/static"))
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build();
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            var cookie =
                    answer.headers().allValues("set-cookie").stream()
                            .map(value -> value.split(";", 2)[0])
                            .filter(value -> value.startsWith("token="))
                            .findFirst()
                            .orElseThrow(
                                    () -> new AssertionError("login: " + answer.headers().map()));
            return new Person(channel(port), cookie);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static ManagedChannel channel(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    String cookie() {
        return cookie;
    }

    /// Waits for a control plane that is just being started.
    WebServiceBlockingStub web() {
        var headers = new Metadata();
        headers.put(COOKIE, cookie);
        return WebServiceGrpc.newBlockingStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                .withWaitForReady()
                .withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    /// The control plane was started again: do not wait for the next attempt to connect.
    void reconnect() {
        channel.resetConnectBackoff();
    }

    Deployment deployment(String id) {
        return web().getDeployment(GetDeploymentRequest.newBuilder().setDeploymentId(id).build())
                .getDeployment();
    }

    /// Newest first.
    List<Deployment> deployments(String application) {
        var options = ListDeploymentsRequest.Options.newBuilder().addApplicationIds(application);
        return web().listDeployments(
                        ListDeploymentsRequest.newBuilder()
                                .setOptions(options)
                                .setPageSize(50)
                                .build())
                .getDeploymentsList();
    }

    Application application(String id) {
        return web().getApplication(GetApplicationRequest.newBuilder().setApplicationId(id).build())
                .getApplication();
    }

    Command command(String id) {
        return web().getCommand(GetCommandRequest.newBuilder().setCommandId(id).build())
                .getCommand();
    }

    /// Empty as long as the stage has said nothing.
    List<LogBlock> log(Deployment deployment, int stage) {
        var request =
                GetStageLogRequest.newBuilder()
                        .setDeploymentId(deployment.getId())
                        .setStageId(deployment.getStages(stage).getId())
                        .build();
        try {
            return web().getStageLog(request).getBlocksList();
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.NOT_FOUND) return List.of();
            throw e;
        }
    }

    String approve(Deployment deployment, int stage) {
        return web().approveStage(
                        ApproveStageRequest.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setStageId(deployment.getStages(stage).getId())
                                .build())
                .getCommandId();
    }

    String sync(String application) {
        return web().syncApplication(
                        SyncApplicationRequest.newBuilder().setApplicationId(application).build())
                .getCommandId();
    }

    void cancel(Deployment deployment, Rollback rollback) {
        web().cancelDeployment(
                        CancelDeploymentRequest.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setForceRollback(rollback == Rollback.YES)
                                .setForceNoRollback(rollback == Rollback.NO)
                                .build());
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    enum Rollback {
        AS_PLANNED,
        YES,
        NO
    }
}
