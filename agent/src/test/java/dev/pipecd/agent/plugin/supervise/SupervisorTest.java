// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SupervisorTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(20);

    @TempDir Path data;

    @Test
    void supervisionGoesOnAfterAnErrorOfTheAgentItself() {
        var tries = new AtomicInteger();
        var line = new PluginLine("pages", "plugin.pages", Notifier.NOBODY, new Changes());
        var dialer = new PluginDialer("token", Runnable::run, LONG);
        var program =
                new ExternalProgram(
                        plugin(),
                        () -> {
                            tries.incrementAndGet();
                            throw new NoClassDefFoundError("dev/pipecd/Gone");
                        },
                        () -> "localhost:1",
                        dialer,
                        new ProcessFiles(data, "process-pages"),
                        LONG);
        var timing = new Timing(LONG, LONG, SHORT, SHORT, LONG, SHORT);
        try (var supervisor = new Supervisor(program, dialer, Map.of("pages", line), timing)) {
            supervisor.start();

            Awaitility.await().until(() -> tries.get() > 5);
            Awaitility.await()
                    .until(
                            () -> line.health().detail(),
                            "the plugin ends again and again; last: cannot be supervised: java.lang.NoClassDefFoundError: dev/pipecd/Gone"
                                    ::equals);
        }
    }

    private static PipedConfig.Plugin plugin() {
        return new PipedConfig.Plugin(
                "pages",
                "/opt/pages",
                0,
                NullNode.getInstance(),
                List.of(),
                new PipedConfig.Origin("", "", Secret.written("", ""), LONG),
                new PipedConfig.Running(1, false));
    }
}
