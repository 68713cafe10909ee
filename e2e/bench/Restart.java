// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// An agent that is killed, plugin host and all, while many deployments are in the middle of a stage.
final class Restart {
    private static final int RUNNING = 200;
    private static final int ROUNDS = 3;
    private static final String PIPELINE = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%d
              planner: {alwaysUsePipeline: true}
              pipeline: {stages: [{name: WAIT, with: {duration: 30m}}]}
            """;

    private final Path dist;
    private final Path folder;

    Restart(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void run(Report report) throws Exception {
        try (var site = Site.open(dist, folder.resolve("restart"), RUNNING, PIPELINE, 500)) {
            var agent = site.agent();
            agent.awaitCompared(RUNNING);
            site.repository().touchFirst(RUNNING, "begin");
            site.push();
            running(agent);
            var times = new double[ROUNDS];
            for (var round = 0; round < ROUNDS; round++) {
                agent.kill();
                var began = System.nanoTime();
                agent.start();
                agent.await("plugin is ready name=wait ", round + 2); // before that there is nothing to ask for
                running(agent);
                times[round] = Starts.since(began);
            }
            report.time("Agent killed with %d running deployments → all resumed".formatted(RUNNING), times, "≤ 5 s", 29_000);
        }
    }

    private static void running(Piped agent) throws Exception {
        while (agent.figure("piped_plugin_stages_running") < RUNNING) TimeUnit.MILLISECONDS.sleep(100);
    }
}
