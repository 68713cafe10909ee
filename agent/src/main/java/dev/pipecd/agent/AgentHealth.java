// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.admin.HealthSource;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.supervise.PluginHealth;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.source.Repositories;
import java.util.ArrayList;
import java.util.List;

/// Tells how plugins, repositories, the control plane, the journal and deployments do, and which
/// reports were refused.
final class AgentHealth implements HealthSource {
    private final Plugins plugins;
    private final Repositories repositories;
    private final ControlPlaneClient controlPlane;
    private final Lease lease;
    private final Outbox outbox;
    private final Ledger ledger;
    private final Runs runs;

    AgentHealth(
            Plugins plugins,
            Repositories repositories,
            ControlPlaneClient controlPlane,
            Lease lease,
            Outbox outbox,
            Ledger ledger,
            Runs runs) {
        this.plugins = plugins;
        this.repositories = repositories;
        this.controlPlane = controlPlane;
        this.lease = lease;
        this.outbox = outbox;
        this.ledger = ledger;
        this.runs = runs;
    }

    @Override
    public List<Part> parts() {
        var parts = new ArrayList<Part>();
        plugins.health().forEach(p -> parts.add(plugin(p, plugins.isMissing(p.name()))));
        repositories
                .health()
                .forEach((id, h) ->
                        parts.add(
                                new Part(
                                        "repository", id.value(), h.ok(), h.detail(), h.advice())));
        parts.add(controlPlane());
        parts.add(new Part("lease", controlPlane.address(), true, lease.told(), ""));
        parts.add(journal());
        runs.faults().forEach(fault -> parts.add(deployment(fault)));
        ledger.parked()
                .forEach(p ->
                        parts.add(
                                new Part(
                                        "parkedReport",
                                        p.lane() + " " + p.call(),
                                        true,
                                        "refused at %s: %s".formatted(p.at(), p.reason()),
                                        "The control plane and this agent disagree about it; look at the deployment there.")));
        return parts;
    }

    /// Whoever restarts an agent that is not well would not bring a plugin that does not exist.
    static Part plugin(PluginHealth health, boolean missing) {
        return missing
                ? new Part("missingPlugin", health.name(), true, health.detail(), health.advice())
                : new Part("plugin", health.name(), health.ok(), health.detail(), health.advice());
    }

    private Part controlPlane() {
        var trouble = controlPlane.trouble();
        var waiting = "%d report(s) wait to be delivered".formatted(outbox.waiting());
        return trouble.isEmpty()
                ? new Part("controlPlane", controlPlane.address(), true, waiting, "")
                : new Part(
                        "controlPlane",
                        controlPlane.address(),
                        false,
                        trouble + "; " + waiting,
                        "Check `apiAddress`, the key and the network; the agent works on and catches up.");
    }

    private Part journal() {
        var trouble = ledger.trouble();
        var name = ledger.file().toString();
        return trouble.isEmpty()
                ? new Part("journal", name, true, "what is decided is on the disk", "")
                : new Part(
                        "journal",
                        name,
                        false,
                        "cannot be written: %s; %d record(s) wait, and nothing new is started"
                                .formatted(trouble, ledger.waiting()),
                        "Free or mend the disk of --data-dir; the agent then goes on by itself.");
    }

    private static Part deployment(Runs.Fault fault) {
        return new Part(
                "deployment",
                fault.deployment() + " of " + fault.application(),
                false,
                fault.what(),
                "A fault of the agent, not of the deployment: restart the agent, which goes on from the journal;"
                        + " if it comes again, report it with the agent's log.");
    }
}
