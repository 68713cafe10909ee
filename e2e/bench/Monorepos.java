// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// What an agent costs as its one repository grows.
final class Monorepos {
    private static final int ROUNDS = 7;
    private static final int IDLE_SECONDS = 60;
    private static final String PIPELINE = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%d
              planner: {alwaysUsePipeline: true}
              pipeline:
                stages:
                  - {name: WAIT, with: {duration: 1s}}
                  - {name: SCRIPT_RUN, with: {run: echo done}}
            """;

    private final Path dist;
    private final Path folder;

    Monorepos(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void run(int applications, Report report) throws Exception {
        var began = System.nanoTime();
        var most = applications == 50_000;
        var named = "%,d applications: ".formatted(applications);
        try (var site = Site.open(dist, folder.resolve("monorepo-" + applications), applications, PIPELINE, 500)) {
            report.time(named + "generated and served", new double[] {Starts.since(began)}, "", Report.NOT_MEASURED);
            var started = System.nanoTime();
            site.agent().awaitCompared(applications);
            report.time(named + "agent's start to cloned and indexed", new double[] {Starts.since(started)}, "", Report.NOT_MEASURED);
            report.memory(named + "agent, resident at its highest till then", site.agent().resident("VmHWM"), "", Report.NOT_MEASURED);
            pushes(site, named, most ? "< 1 s" : "< 0.2 s", applications == 5_000 ? 562_000 : Report.NOT_MEASURED, report);
            idle(site, named, most, applications == 5_000 ? 5.6 : Double.NaN, report);
            memory(site.agent(), named, most, applications == 5_000 ? 94 : Double.NaN, report);
        }
    }

    /// The one process of the public figure has its stages inside.
    private static void memory(Piped agent, String named, boolean most, double theirs, Report report) throws Exception {
        var resident = agent.resident("VmRSS");
        var host = agent.hostResident("VmRSS");
        report.memory(named + "agent, resident", resident, most ? "≤ 400 MB" : "", Report.NOT_MEASURED);
        report.memory(named + "plugin host, resident", host, "", Report.NOT_MEASURED);
        report.memory(named + "agent and plugin host together, resident", resident + host, "", theirs);
    }

    private static void pushes(Site site, String named, String goal, double theirs, Report report) throws Exception {
        var times = new double[ROUNDS];
        // The first is the warm-up.
        for (var round = -1; round < ROUNDS; round++) {
            var application = (round + 2) * (site.repository().applications() / (ROUNDS + 3));
            site.repository().touch(application, "replicas: %d # changed\n".formatted(round + 3));
            var began = System.nanoTime();
            site.push();
            site.newer(application, "", 10);
            if (round >= 0) times[round] = Starts.since(began);
        }
        report.time(named + "push of a one-file commit → deployment created, seen by a person", times, "", theirs);
        report.time(named + "  of these: the push known to the control plane → deployment opened by the agent", inTheAgent(site), goal, theirs);
    }

    /// What of it is the agent's: the link, the fetch, the comparison and the journal.
    private static double[] inTheAgent(Site site) throws Exception {
        var pushed = site.agent().moments("server.out", "a push to ");
        var opened = site.agent().moments("piped.out", " opened for commit ");
        var times = new double[ROUNDS];
        for (var round = 0; round < ROUNDS; round++) times[round] = opened[round + 1] - pushed[round + 1];
        return times;
    }

    /// After the deployments have ended.
    private static void idle(Site site, String named, boolean most, double theirs, Report report) throws Exception {
        while (site.agent().figure("piped_deployments_active") > 0) TimeUnit.MILLISECONDS.sleep(100);
        // What was told of all applications after the start has been told by then.
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        var agent = site.agent().cpu();
        var server = site.stand().cpu();
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        var used = (site.agent().cpu() - agent) / 1000;
        report.row(
                named + "CPU of the agent, plugin host and git per idle minute, the second",
                "%.2f s; server %.2f s".formatted(used, (site.stand().cpu() - server) / 1000),
                most ? "≤ 0.5 s" : "",
                Double.isNaN(theirs) ? "" : "%.1f s; server 40.6 s".formatted(theirs),
                Double.isNaN(theirs) ? "" : "%.0f×".formatted(theirs / used));
    }
}
