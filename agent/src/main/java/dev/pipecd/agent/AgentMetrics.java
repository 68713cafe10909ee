// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Receivers;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.preview.Previews;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.Version;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/// What the agent counts, in Prometheus' text form with the public labels.
final class AgentMetrics implements Previews.Counting {
    /// Half of what our server keeps, and far below the 4 MiB that gRPC servers take.
    private static final int MOST_BYTES = 256 * 1024;

    /// A line has about 400 bytes: more deployments need not be written to see that they are many.
    private static final int MOST_BY_NAME = 1_000;

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MultiGauge standing =
            MultiGauge.builder("deployment_status")
                    .description("Deployments that go on, each with the status it has")
                    .register(registry);
    private final Runs runs;

    AgentMetrics(
            Runs runs,
            Outbox outbox,
            Ledger ledger,
            Plugins plugins,
            Receivers receivers,
            PipedConfig config,
            String launcherVersion) {
        this.runs = runs;
        registry.config()
                .commonTags(
                        Tags.of(
                                "pipecd_component",
                                "piped",
                                "piped",
                                config.identity().pipedId().value(),
                                "piped_version",
                                Version.text(),
                                "launcher_version",
                                launcherVersion,
                                "project",
                                config.identity().projectId().value()));
        new JvmMemoryMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        Gauge.builder("piped_deployments_active", runs, Runs::active)
                .description("Deployments that are going on")
                .register(registry);
        Gauge.builder("piped_reports_waiting", outbox, Outbox::waiting)
                .description("Reports the control plane has not taken yet")
                .register(registry);
        Gauge.builder("piped_reports_parked", ledger, l -> l.parked().size())
                .description("Reports the control plane refuses for good")
                .register(registry);
        plugins.names().forEach(name -> count(plugins, name));
        receivers.names().forEach(name -> count(receivers, name));
    }

    private void count(Plugins plugins, String name) {
        Gauge.builder("piped_plugin_ready", () -> plugins.figures(name).ready() ? 1 : 0)
                .description("Whether the plugin can be called")
                .tag("plugin", name)
                .register(registry);
        FunctionCounter.builder("piped_plugin_ends", plugins, p -> p.figures(name).ends())
                .description("How often the plugin's process ended by itself")
                .tag("plugin", name)
                .register(registry);
        Gauge.builder("piped_plugin_stages_running", () -> plugins.figures(name).stagesRunning())
                .description("Stages that have their turn in the plugin")
                .tag("plugin", name)
                .register(registry);
        Gauge.builder("piped_plugin_stages_waiting", () -> plugins.figures(name).stagesWaiting())
                .description("Stages that wait for their turn")
                .tag("plugin", name)
                .register(registry);
    }

    private void count(Receivers receivers, String name) {
        FunctionCounter.builder("piped_notifications_sent", receivers, r -> r.figures(name).sent())
                .description("Notifications the receiver took")
                .tag("receiver", name)
                .register(registry);
        FunctionCounter.builder(
                        "piped_notifications_dropped", receivers, r -> r.figures(name).dropped())
                .description("Notifications given up: refused, too old, or too many")
                .tag("receiver", name)
                .register(registry);
        Gauge.builder("piped_notifications_waiting", () -> receivers.figures(name).waiting())
                .description("Notifications that wait for the receiver")
                .tag("receiver", name)
                .register(registry);
    }

    /// What the admin port tells: nothing when metrics are switched off.
    Supplier<String> shown(boolean enabled) {
        return enabled ? this::text : () -> "";
    }

    String text() {
        return scraped(runs.goingOn().stream().<MultiGauge.Row<?>>map(AgentMetrics::row).toList());
    }

    /// What the control plane is told: never more than servers take. With many deployments their
    /// number by status stands for them.
    byte[] heartbeat() {
        var goingOn = runs.goingOn();
        if (goingOn.size() <= MOST_BY_NAME) {
            var whole = bytes(goingOn.stream().<MultiGauge.Row<?>>map(AgentMetrics::row).toList());
            if (whole.length <= MOST_BYTES) return whole;
        }
        var counted = bytes(counts(goingOn));
        // Even without a word it says that the agent lives.
        return counted.length <= MOST_BYTES ? counted : new byte[0];
    }

    private byte[] bytes(List<MultiGauge.Row<?>> rows) {
        return scraped(rows).getBytes(StandardCharsets.UTF_8);
    }

    /// One at a time: the rows of one must not be in the text of another.
    private synchronized String scraped(List<MultiGauge.Row<?>> rows) {
        standing.register(rows, true);
        return registry.scrape();
    }

    @SuppressWarnings("deprecation") // the public label tells kind and provider
    private static MultiGauge.Row<?> row(Deployment deployment) {
        return MultiGauge.Row.of(
                tags(
                        deployment.getId(),
                        deployment.getApplicationId(),
                        deployment.getApplicationName(),
                        deployment.getKind().name(),
                        deployment.getPlatformProvider(),
                        deployment.getStatus().name()),
                1);
    }

    /// With the same labels, so that sums by status stay what they are.
    private static List<MultiGauge.Row<?>> counts(List<Deployment> goingOn) {
        var counts = new TreeMap<DeploymentStatus, Integer>();
        goingOn.forEach(deployment -> counts.merge(deployment.getStatus(), 1, Integer::sum));
        return counts.entrySet().stream()
                .<MultiGauge.Row<?>>map(e ->
                        MultiGauge.Row.of(
                                tags("", "", "", "", "", e.getKey().name()), e.getValue()))
                .toList();
    }

    private static Tags tags(
            String deployment,
            String id,
            String name,
            String kind,
            String provider,
            String status) {
        return Tags.of(
                "deployment",
                deployment,
                "application_id",
                id,
                "application_name",
                name,
                "application_kind",
                kind,
                "platform_provider",
                provider,
                "status",
                status);
    }

    @Override
    public void received() {
        registry.counter("plan_preview_command_received").increment();
    }

    @Override
    public void handled(boolean well, Duration took) {
        var status = Tags.of("status", well ? "success" : "failure");
        registry.counter("plan_preview_command_handled", status).increment();
        DistributionSummary.builder("plan_preview_command_handling_seconds")
                .description("How long previews took")
                .tags(status)
                .serviceLevelObjectives(1, 10, 30, 60, 120, 300, 600)
                .register(registry)
                .record(took.toMillis() / 1_000.0);
    }
}
