// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Receivers;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.Version;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// What the agent counts, in Prometheus' text form with the public labels.
final class AgentMetrics {
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    AgentMetrics(
            Runs runs,
            Outbox outbox,
            Ledger ledger,
            Plugins plugins,
            Receivers receivers,
            PipedConfig config) {
        registry.config()
                .commonTags(
                        Tags.of(
                                "pipecd_component",
                                "piped",
                                "piped",
                                config.identity().pipedId().value(),
                                "piped_version",
                                Version.text(),
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
                .description("Stages the plugin runs")
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
    PrometheusMeterRegistry shown(boolean enabled) {
        return enabled ? registry : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    }

    String text() {
        return registry.scrape();
    }
}
