// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// An agent that is killed, plugin host and all, while many deployments are in the middle of a stage.
final class Restart {
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
    private final int deployments;

    Restart(Path dist, Path folder, int deployments) {
        this.dist = dist;
        this.folder = folder;
        this.deployments = deployments;
    }

    void run(Report report) throws Exception {
        try (var site = Site.open(dist, folder.resolve("restart"), deployments, PIPELINE, 500)) {
            var agent = site.agent();
            agent.awaitCompared(deployments);
            site.repository().touchFirst(deployments, "begin");
            site.push();
            while (agent.figure("piped_plugin_stages_running") < deployments) TimeUnit.MILLISECONDS.sleep(100);
            var times = new double[ROUNDS];
            try (var lines = new Lines(site.stand())) {
                lines.awaitFirst(deployments, 0); // a stage that waits tells it every ten seconds
                for (var round = 0; round < ROUNDS; round++) times[round] = round(agent, lines, round);
            }
            report.time("Agent and plugin host killed with %d running deployments → each stage's first line, heard by a person".formatted(deployments), times, "≤ 5 s", 29_000);
        }
    }

    /// The agent's turns and calls may all stand while no plugin has taken one up: a stage goes on when it tells so.
    private double round(Piped agent, Lines lines, int round) throws Exception {
        // A line told before must not be delivered afterwards.
        while (agent.figure("piped_reports_waiting") > 0) TimeUnit.MILLISECONDS.sleep(10);
        agent.kill();
        var began = System.currentTimeMillis();
        agent.start();
        var words = "plugin is ready name=wait ";
        agent.await(words, round + 2);
        return lines.awaitFirst(deployments, agent.moments("piped.out", words)[round + 1]) - began;
    }
}
