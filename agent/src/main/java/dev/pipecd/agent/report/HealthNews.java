// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.report;

import dev.pipecd.agent.admin.HealthSource;
import dev.pipecd.wire.health.Part;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.TellHealthRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Tells the control plane how the agent and its plugins do, for people to see: when it changed,
/// and once a minute.
public final class HealthNews {
    private static final Duration AT_LEAST_EVERY = Duration.ofMinutes(1);
    private static final Duration LONG_AGO = Duration.ofSeconds(Long.MIN_VALUE);
    private static final Duration WHERE_NOT_OFFERED = Duration.ofMinutes(10);

    private final ControlPlaneClient client;
    private final HealthSource source;
    private final Supplier<Duration> uptime;
    private List<HealthSource.Part> told = List.of();
    private Duration due = LONG_AGO;
    private Duration notOfferedUntil = LONG_AGO;

    /// @param uptime time that nobody can set
    public HealthNews(ControlPlaneClient client, HealthSource source, Supplier<Duration> uptime) {
        this.client = client;
        this.source = source;
        this.uptime = uptime;
    }

    /// Throws a `Problem` when the control plane does not answer; it is told the next time.
    public void tell() {
        var now = uptime.get();
        // Whoever hears this knows that the control plane is reached; and how much waits changes
        // all the time.
        var parts = source.parts().stream().filter(p -> !p.kind().equals("controlPlane")).toList();
        if (now.compareTo(notOfferedUntil) < 0) return;
        if (parts.equals(told) && now.compareTo(due) < 0) return;
        try {
            var _ =
                    LinkServiceGrpc.newBlockingStub(client.channel())
                            .withDeadlineAfter(client.patience().toMillis(), TimeUnit.MILLISECONDS)
                            .tellHealth(request(parts));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.UNIMPLEMENTED) throw client.problem(e);
            notOfferedUntil = now.plus(WHERE_NOT_OFFERED);
        }
        told = parts;
        due = now.plus(AT_LEAST_EVERY);
    }

    private static TellHealthRequest request(List<HealthSource.Part> parts) {
        var request = TellHealthRequest.newBuilder();
        for (var part : parts)
            request.addParts(
                    Part.newBuilder()
                            .setKind(part.kind())
                            .setName(part.name())
                            .setOk(part.ok())
                            .setDetail(part.detail())
                            .setAdvice(part.advice()));
        return request.build();
    }
}
