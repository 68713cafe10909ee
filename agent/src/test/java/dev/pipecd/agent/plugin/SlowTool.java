// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A tool that takes the seconds its wish ends in, asked for as public plugins do before they
/// listen. Who wishes to hang does so when it has the tool; one that is refused asks for ever.
final class SlowTool {
    private SlowTool() {}

    static void ask(Channel agent, String wish) {
        while (wish.contains("refused")) refused(agent);
        var seconds = wish.substring(wish.lastIndexOf(' ') + 1);
        install(agent, "sleep %s; echo x >{{ .OutPath }}".formatted(seconds));
        if (wish.contains("hang")) pause(Duration.ofDays(1));
    }

    /// Asks once more after a while, as one that cannot do without.
    private static void refused(Channel agent) {
        try {
            install(agent, "echo no route; exit 7");
        } catch (StatusRuntimeException e) {
            pause(Duration.ofSeconds(1));
        }
    }

    private static void install(Channel agent, String script) {
        var _ =
                PluginServiceGrpc.newBlockingStub(agent)
                        .installTool(
                                InstallToolRequest.newBuilder()
                                        .setName("slow")
                                        .setVersion("1")
                                        .setInstallScript(script)
                                        .build());
    }

    private static void pause(Duration length) {
        try {
            var _ = new CountDownLatch(1).await(length.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
