// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.plugin.piped.InstallToolRequest;
import dev.pipecd.wire.plugin.piped.PluginServiceGrpc;
import io.grpc.Channel;
import java.util.concurrent.CountDownLatch;

/// A tool that takes the seconds its wish ends in, asked for as public plugins do before they
/// listen; who wishes to hang does so when it has the tool.
final class SlowTool {
    private SlowTool() {}

    static void ask(Channel agent, String wish) {
        var seconds = wish.substring(wish.lastIndexOf(' ') + 1);
        var _ =
                PluginServiceGrpc.newBlockingStub(agent)
                        .installTool(
                                InstallToolRequest.newBuilder()
                                        .setName("slow")
                                        .setVersion("1")
                                        .setInstallScript(
                                                "sleep %s; echo x >{{ .OutPath }}"
                                                        .formatted(seconds))
                                        .build());
        if (wish.contains("hang")) hang();
    }

    private static void hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
