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
import java.time.Duration;
import java.util.function.Supplier;

/// What the agent counts, in Prometheus' text form with the public labels.
final class AgentMetrics implements Previews.Counting {
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
        standing.register(
                runs.goingOn().stream().map(d -> MultiGauge.Row.of(tags(d), 1)).toList(), true);
        return registry.scrape();
    }

    @SuppressWarnings("deprecation") // the public label tells kind and provider
    private static Tags tags(Deployment deployment) {
        return Tags.of(
                "deployment",
                deployment.getId(),
                "application_id",
                deployment.getApplicationId(),
                "application_name",
                deployment.getApplicationName(),
                "application_kind",
                deployment.getKind().name(),
                "platform_provider",
                deployment.getPlatformProvider(),
                "status",
                deployment.getStatus().name());
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
