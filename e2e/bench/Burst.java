// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.web.GetDeploymentRequest;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// One commit that deploys a thousand applications, and in their midst one of another plugin.
final class Burst {
    private static final int DEPLOYMENTS = 1_000;
    private static final int AT_ONCE = 100;

    /// Milliseconds between two looks: whoever looks all the time measures their own looking.
    private static final int SELDOM = 500;

    private static final String PIPELINE = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: app-%1$d
              planner: {alwaysUsePipeline: true}
              pipeline: {stages: [{name: WAIT, with: {duration: 1s}}]}
            """;
    private static final String OTHER = """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: other
              planner: {alwaysUsePipeline: true}
              pipeline: {stages: [{name: SCRIPT_RUN, with: {run: "echo done%s"}}]}
            """;

    private final Path dist;
    private final Path folder;

    Burst(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void run(Report report) throws Exception {
        try (var site = Site.open(dist, folder.resolve("burst"), DEPLOYMENTS + 1, PIPELINE, AT_ONCE)) {
            site.agent().awaitCompared(DEPLOYMENTS + 1);
            site.repository().touchFirst(1, "warm-up");
            site.push();
            ended(site, site.newer(0, "", SELDOM).getId());
            var first = round(site, report, "", "");
            var _ = round(site, report, ", once more", first);
            report.memory("  agent, resident at its highest", site.agent().resident("VmHWM"), "", Report.NOT_MEASURED);
        }
    }

    /// Answers the one of another plugin.
    private static String round(Site site, Report report, String which, String before) throws Exception {
        var agent = site.agent();
        site.repository().touchFirst(DEPLOYMENTS, "again" + which);
        var began = System.nanoTime();
        var agentCpu = agent.cpu();
        var serverCpu = site.stand().cpu();
        site.push();
        while (agent.figure("piped_deployments_active") < AT_ONCE) TimeUnit.MILLISECONDS.sleep(SELDOM);
        var other = System.nanoTime();
        site.repository().write(Monorepo.path(DEPLOYMENTS) + "/app.pipecd.yaml", OTHER.formatted(which));
        site.push();
        var midst = site.newer(DEPLOYMENTS, before, SELDOM).getId();
        ended(site, midst);
        var fair = Starts.since(other);
        while (agent.figure("piped_deployments_active") > 0 || agent.figure("piped_reports_waiting") > 0) TimeUnit.MILLISECONDS.sleep(SELDOM);
        var seconds = Starts.since(began) / 1000;
        report.rate("%,d deployments of one stage of 1 s, %d at once%s".formatted(DEPLOYMENTS, AT_ONCE, which), DEPLOYMENTS / seconds, "≥ 50/s", Report.NOT_MEASURED);
        report.row(
                "  CPU per deployment: agent, plugin host and git; server",
                "%.0f ms; %.0f ms".formatted((agent.cpu() - agentCpu) / DEPLOYMENTS, (site.stand().cpu() - serverCpu) / DEPLOYMENTS), "", "", "");
        report.time("  push to end of one of another plugin in their midst", new double[] {fair}, "not after them", Report.NOT_MEASURED);
        return midst;
    }

    private static void ended(Site site, String id) throws Exception {
        var request = GetDeploymentRequest.newBuilder().setDeploymentId(id).build();
        while (true) {
            var status = site.web().getDeployment(request).getDeployment().getStatus();
            if (status == DeploymentStatus.DEPLOYMENT_SUCCESS) return;
            if (status == DeploymentStatus.DEPLOYMENT_FAILURE) throw new IllegalStateException(site.web().getDeployment(request).toString());
            TimeUnit.MILLISECONDS.sleep(SELDOM);
        }
    }
}
