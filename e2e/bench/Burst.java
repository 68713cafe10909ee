// SPDX-License-Identifier: Apache-2.0
package bench;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// One commit that deploys a thousand applications, and in their midst another that deploys ten of a plugin of their own.
final class Burst {
    private static final int OTHERS = 10;
    private static final int AT_ONCE = 100;
    private static final long LONGEST = 600_000_000_000L;

    /// Milliseconds between two looks: whoever looks all the time measures their own looking.
    private static final int SELDOM = 500;

    /// A plugin that the thousand do not use.
    private static final String PLUGIN = "- {name: other, url: builtin:scriptrun}";

    private static final String TWO_STAGES = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%d
              planner: {alwaysUsePipeline: true}
              pipeline:
                stages:
                  - {name: WAIT, with: {duration: 1s}}
                  - {name: SCRIPT_RUN, with: {run: echo done}}
              plugins: {scriptrun: {}}
            """;
    private static final String ONE_STAGE = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%d
              planner: {alwaysUsePipeline: true}
              pipeline: {stages: [{name: WAIT, with: {duration: 1s}}]}
            """;
    private static final String OTHER = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%%d
              planner: {alwaysUsePipeline: true}
              pipeline: {stages: [{name: SCRIPT_RUN, with: {run: "sleep 1; echo done%s"}}]}
              plugins: {other: {}}
            """;

    private final Path dist;
    private final Path folder;
    private final int deployments;

    Burst(Path dist, Path folder, int deployments) {
        this.dist = dist;
        this.folder = folder;
        this.deployments = deployments;
    }

    void run(Report report) throws Exception {
        run("WAIT 1 s, then SCRIPT_RUN echo", "two-stages", TWO_STAGES, report);
        run("WAIT 1 s alone", "one-stage", ONE_STAGE, report);
    }

    private void run(String stages, String name, String pipeline, Report report) throws Exception {
        var all = deployments + OTHERS;
        try (var site = Site.open(dist, folder.resolve("burst-" + name), all, pipeline, AT_ONCE, PLUGIN)) {
            site.agent().awaitCompared(all);
            site.repository().touchFirst(1, "warm-up");
            site.push();
            ended(site, Set.of(site.repository().head()), 1);
            round(site, "%,d deployments of %s, %d stages at once".formatted(deployments, stages, AT_ONCE), "", report);
            round(site, "  the same once more", ", once more", report);
            report.memory("  agent, resident at its highest", site.agent().resident("VmHWM"), "", Report.NOT_MEASURED);
            report.memory("  plugin host, resident at its highest", site.agent().hostResident("VmHWM"), "", Report.NOT_MEASURED);
        }
    }

    private void round(Site site, String named, String which, Report report) throws Exception {
        var agent = site.agent();
        site.repository().touchFirst(deployments, "again" + which);
        var many = site.repository().head();
        var began = System.nanoTime();
        var agentCpu = agent.cpu();
        var serverCpu = site.stand().cpu();
        site.push();
        while (agent.figure("piped_deployments_active") < Math.min(AT_ONCE, deployments / 2)) rest(began);
        site.repository().configure(deployments, OTHERS, OTHER.formatted(which));
        var pushed = System.currentTimeMillis();
        site.push();
        // One of the thousand that is looked at late is deployed for the later commit.
        var commits = Set.of(many, site.repository().head());
        var walked = ended(site, commits, deployments + OTHERS);
        var seconds = Starts.since(began) / 1000;
        var cpu = "%.0f ms; %.0f ms".formatted((agent.cpu() - agentCpu) / walked.size(), (site.stand().cpu() - serverCpu) / walked.size());
        requireAll(site, commits);
        report.rate(named, deployments / seconds, "≥ 50/s", Report.NOT_MEASURED);
        report.row("  CPU per deployment: agent, plugin host and git; server", cpu, "", "", "");
        fairness(walked, pushed, seconds, report);
    }

    /// A deployment has ended when the control plane knows it.
    private static List<Piped.Walked> ended(Site site, Set<String> commits, int number) throws Exception {
        var began = System.nanoTime();
        while (true) {
            var walked = site.agent().walked(commits);
            if (walked.size() >= number && site.agent().figure("piped_deployments_active") == 0 && site.agent().figure("piped_reports_waiting") == 0)
                return walked;
            rest(began);
        }
    }

    private static void rest(long began) throws InterruptedException {
        if (System.nanoTime() - began > LONGEST) throw new IllegalStateException("The deployments do not end, or are fewer than expected.");
        TimeUnit.MILLISECONDS.sleep(SELDOM);
    }

    /// A rate of deployments that failed, or were not made, would be a better one.
    private void requireAll(Site site, Set<String> commits) {
        Map<String, Integer> expected = new HashMap<>();
        for (var number = 0; number < deployments + OTHERS; number++) expected.put(Fleet.application(number), 1);
        var succeeded = site.succeeded(commits);
        if (!succeeded.equals(expected))
            throw new IllegalStateException(
                    "deployments: %d that succeeded, of %d applications (expected: one of each of %d)"
                            .formatted(succeeded.values().stream().mapToInt(n -> n).sum(), succeeded.size(), expected.size()));
    }

    private void fairness(List<Piped.Walked> walked, long pushed, double seconds, Report report) {
        var many = times(walked.stream().filter(w -> w.application() < deployments).toList());
        var theOthers = walked.stream().filter(w -> w.application() >= deployments).toList();
        var others = times(theOthers);
        report.row(
                "  opened to ended: of these; of %d of another plugin, pushed in their midst".formatted(OTHERS),
                "median %.1f s, longest %.1f s; median %.1f s, longest %.1f s: the others take %.2f and %.2f of it"
                        .formatted(
                                median(many), longest(many), median(others), longest(others), median(others) / median(many), longest(others) / longest(many)),
                "≤ 1", "", "");
        var last = theOthers.stream().mapToDouble(Piped.Walked::ended).max().orElseThrow();
        report.row("  push to end of the last of the others", "%.1f s, of %.1f s".formatted((last - pushed) / 1000, seconds), "not after them", "", "");
    }

    /// Sorted, in seconds.
    private static double[] times(List<Piped.Walked> walked) {
        var times = walked.stream().mapToDouble(w -> w.took() / 1000).toArray();
        Arrays.sort(times);
        return times;
    }

    private static double median(double[] sorted) {
        return Report.at(sorted, 0.5);
    }

    private static double longest(double[] sorted) {
        return sorted[sorted.length - 1];
    }
}
