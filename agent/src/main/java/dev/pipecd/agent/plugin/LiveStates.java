// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationLiveState;
import dev.pipecd.wire.plugin.livestate.GetLivestateRequest;
import dev.pipecd.wire.plugin.livestate.GetLivestateResponse;
import dev.pipecd.wire.plugin.livestate.LivestateServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Asks plugins what really runs. One that does not look is asked once, not every minute.
public final class LiveStates {
    private static final Duration READY_WITHIN = Duration.ofSeconds(10);
    private static final Duration ANSWERED_WITHIN = Duration.ofMinutes(2);

    /// About as many as one report can carry.
    private static final CountedCall<GetLivestateRequest, GetLivestateResponse> LOOK =
            new CountedCall<>(
                    LivestateServiceGrpc.getGetLivestateMethod(),
                    "resources",
                    20_000,
                    List.of(
                            GetLivestateResponse.APPLICATION_LIVE_STATE_FIELD_NUMBER,
                            ApplicationLiveState.RESOURCES_FIELD_NUMBER));

    private final Plugins plugins;

    /// Who said that it does not look, and how often its process had ended then: the next one may
    /// be another version.
    private final Map<String, Integer> without = new ConcurrentHashMap<>();

    public LiveStates(Plugins plugins) {
        this.plugins = plugins;
    }

    /// Whether it may look; known for sure once it was asked.
    public boolean offered(String plugin) {
        if (!plugins.names().contains(plugin)) return false;
        var ends = without.get(plugin);
        return ends == null || ends != plugins.figures(plugin).ends();
    }

    /// Throws a `Problem` when the plugin does not answer, or says that it cannot tell.
    public LiveState of(
            String plugin, Application application, List<String> targets, SourceDirs head)
            throws InterruptedException {
        var request =
                GetLivestateRequest.newBuilder()
                        .setPipedId(application.getPipedId())
                        .setApplicationId(application.getId())
                        .setApplicationName(application.getName())
                        .setDeploySource(head.onTheWire())
                        .addAllDeployTargets(targets)
                        .build();
        var ends = plugins.figures(plugin).ends();
        var calls = new PluginCalls(plugins.line(plugin), READY_WITHIN);
        try {
            var answer =
                    calls.call(
                            request,
                            channel -> {
                                var within =
                                        CallOptions.DEFAULT.withDeadlineAfter(
                                                ANSWERED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
                                return LOOK.make(plugin, channel, within, request);
                            });
            return new LiveState.Seen(
                    answer.getApplicationLiveState().getResourcesList(), answer.getSyncState());
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.UNIMPLEMENTED) {
                without.put(plugin, ends);
                return new LiveState.NotOffered();
            }
            throw calls.refused(
                    Problem.Code.PLUGIN_UNAVAILABLE,
                    "Correct what the plugin complains about; it is asked again in a minute.",
                    e);
        }
    }
}
