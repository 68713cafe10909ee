// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.model.ApplicationKind;
import dev.pipecd.wire.web.UpdateApplicationRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/// What an agent costs as its one repository grows.
final class Monorepos {
    private static final int ROUNDS = 7;
    private static final int LISTINGS = 5;
    private static final int SETTLING_SECONDS = 3;
    private static final long LONGEST = 120_000_000_000L;
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
            var idle = idle(site, named, most, applications == 5_000 ? 5.6 : Double.NaN, report);
            memory(site.agent(), named, most, applications == 5_000 ? 94 : Double.NaN, report);
            listing(site, named, most, idle, report);
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

    /// After the deployments have ended; in seconds of CPU a minute.
    private static double idle(Site site, String named, boolean most, double theirs, Report report) throws Exception {
        while (site.agent().figure("piped_deployments_active") > 0) TimeUnit.MILLISECONDS.sleep(100);
        // What was told of all applications after the start has been told by then.
        TimeUnit.MINUTES.sleep(1);
        var minutes = Integer.parseInt(System.getenv().getOrDefault("IDLE_MINUTES", "1"));
        var agent = site.agent().cpu();
        var server = site.stand().cpu();
        TimeUnit.MINUTES.sleep(minutes);
        var used = (site.agent().cpu() - agent) / 1000 / minutes;
        report.row(
                named + "CPU of the agent, plugin host and git per idle minute, " + (minutes == 1 ? "the second" : "%d from the second on".formatted(minutes)),
                "%.2f s; server %.2f s".formatted(used, (site.stand().cpu() - server) / 1000 / minutes),
                most ? "≤ 0.5 s" : "",
                Double.isNaN(theirs) ? "" : "%.1f s; server 40.6 s".formatted(theirs),
                Double.isNaN(theirs) ? "" : "%.0f×".formatted(theirs / used));
        return used;
    }

    /// What one idle minute may leave out: where there are many applications, they are listed every ten minutes, and looked through afterwards.
    private static void listing(Site site, String named, boolean most, double idle, Report report) throws Exception {
        var agentCpu = new double[LISTINGS];
        var serverCpu = new double[LISTINGS];
        for (var listing = 0; listing < LISTINGS; listing++) {
            var began = System.nanoTime();
            var agent = site.agent().cpu();
            var server = site.stand().cpu();
            list(site, "listing-" + listing);
            agentCpu[listing] = Math.max(0, (site.agent().cpu() - agent) / 1000 - idle * Starts.since(began) / 60_000);
            serverCpu[listing] = (site.stand().cpu() - server) / 1000;
        }
        Arrays.sort(agentCpu);
        Arrays.sort(serverCpu);
        var once = Report.at(agentCpu, 0.5);
        report.row(
                named + "CPU of one listing of all applications, median of " + LISTINGS,
                "%.2f s; server %.2f s".formatted(once, Report.at(serverCpu, 0.5)), "", "", "");
        report.row(named + "CPU per idle minute with one such listing every ten minutes", "%.2f s".formatted(idle + once / 10), most ? "≤ 0.5 s" : "", "", "");
    }

    /// An application that a person changes makes the agent list all; it keeps what is new in a file.
    private static void list(Site site, String provider) throws Exception {
        var kept = site.agent().data("applications");
        var before = Files.getLastModifiedTime(kept);
        site.web()
                .updateApplication(
                        UpdateApplicationRequest.newBuilder()
                                .setApplicationId(Fleet.application(0))
                                .setName("app-0")
                                .setPipedId(Fleet.piped(0))
                                .setKind(ApplicationKind.ECS)
                                .setConfigFilename("app.pipecd.yaml")
                                .setPlatformProvider(provider)
                                .build());
        for (var end = System.nanoTime() + LONGEST; Files.getLastModifiedTime(kept).equals(before); TimeUnit.MILLISECONDS.sleep(50))
            if (System.nanoTime() > end) throw new IllegalStateException("The agent does not list its applications.");
        TimeUnit.SECONDS.sleep(SETTLING_SECONDS);
    }
}
