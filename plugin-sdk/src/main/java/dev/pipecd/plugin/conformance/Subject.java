// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.plugin.conformance.Launcher.Program;
import dev.pipecd.plugin.testkit.FakeAgent;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc;
import dev.pipecd.wire.plugin.deployment.DeploymentServiceGrpc.DeploymentServiceBlockingStub;
import dev.pipecd.wire.plugin.deployment.FetchDefinedStagesRequest;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/// The plugin under examination, started as the contract says, and the line to it.
final class Subject implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Program program;
    private final ManagedChannel channel;
    private final Limits limits;

    private Subject(Program program, ManagedChannel channel, Limits limits) {
        this.program = program;
        this.channel = channel;
        this.limits = limits;
    }

    /// A port that was free a moment ago: agents choose one and tell it.
    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /// The five arguments of the public contract; `more` is a key no plugin knows.
    static List<String> arguments(Trial trial, FakeAgent agent, int port, boolean more)
            throws IOException {
        var config =
                JSON.createObjectNode()
                        .put("name", trial.plugin())
                        .put("url", "file:///" + trial.plugin())
                        .put("port", port);
        try {
            config.set("config", JSON.readTree(trial.config()));
            var targets = config.putArray("deployTargets");
            for (var target : trial.targets().entrySet()) {
                var entry = targets.addObject().put("name", target.getKey());
                entry.putObject("labels").put("env", "test");
                entry.set("config", JSON.readTree(target.getValue()));
            }
        } catch (JsonProcessingException e) {
            throw new IOException("configuration: not JSON (expected: JSON)", e);
        }
        if (more) config.putObject("future").put("from", "a newer agent");
        return List.of(
                "start", "--piped-plugin-service", agent.address(), "--config", config.toString());
    }

    static Subject start(Launcher launcher, List<String> arguments, int port, Limits limits)
            throws IOException {
        var program = launcher.start(arguments);
        var channel =
                NettyChannelBuilder.forAddress("localhost", port)
                        .usePlaintext()
                        .maxInboundMessageSize(64 << 20)
                        .build();
        return new Subject(program, channel, limits);
    }

    ManagedChannel channel() {
        return channel;
    }

    Program program() {
        return program;
    }

    DeploymentServiceBlockingStub calls() {
        return calls(limits.answer());
    }

    DeploymentServiceBlockingStub calls(Duration bound) {
        return DeploymentServiceGrpc.newBlockingStub(channel).withDeadlineAfter(bound);
    }

    /// Waits until it answers, as agents do, and gives its stages.
    List<String> awaitReady() throws InterruptedException {
        var up = Breach.within(limits.start(), () -> !program.alive() || answers());
        Breach.unless(program.alive(), "it ended: " + program.told());
        Breach.unless(up, "no answer within " + told(limits.start()) + ": " + program.told());
        var stages = stages();
        Breach.unless(
                stages.stream().noneMatch(String::isBlank)
                        && new HashSet<>(stages).size() == stages.size(),
                "stages: " + stages + " (expected: names, each once)");
        return stages;
    }

    private boolean answers() {
        // The channel would wait longer and longer between attempts.
        channel.resetConnectBackoff();
        return switch (code(this::stages)) {
            case UNAVAILABLE, DEADLINE_EXCEEDED -> false;
            case UNIMPLEMENTED ->
                    throw new Breach(
                            "FetchDefinedStages: UNIMPLEMENTED (expected: stages, if only none; the public agent does not start otherwise)");
            default -> true;
        };
    }

    List<String> stages() {
        return calls().fetchDefinedStages(FetchDefinedStagesRequest.getDefaultInstance())
                .getStagesList();
    }

    /// How a call ends.
    static Status.Code code(Supplier<?> call) {
        try {
            var _ = call.get();
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    static String told(Duration length) {
        return length.toSeconds() > 0 ? length.toSeconds() + " s" : length.toMillis() + " ms";
    }

    @Override
    public void close() {
        program.kill();
        channel.shutdownNow();
    }
}
