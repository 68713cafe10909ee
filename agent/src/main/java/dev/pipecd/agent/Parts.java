// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.admin.AdminServer;
import dev.pipecd.agent.admin.HealthSource;
import dev.pipecd.agent.event.EventWatcher;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.notify.Receivers;
import dev.pipecd.agent.notify.Sender;
import dev.pipecd.agent.plugin.PluginSettings;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.agent.report.ChainTurns;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.LeaseHolder;
import dev.pipecd.agent.report.LeaseNote;
import dev.pipecd.agent.report.LeaseOffice;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Reports;
import dev.pipecd.agent.run.ChainGate;
import dev.pipecd.agent.run.Gate;
import dev.pipecd.agent.run.LeaseGate;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitAccess;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.launch.Version;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.RepositoryId;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Makes the agent's hands of what it was started with.
record Parts(AgentSettings settings, InstantSource clock, IdSource ids) {
    private static final Duration TOOL_INSTALLED_WITHIN = Duration.ofMinutes(10);

    private PipedConfig config() {
        return settings.config().value();
    }

    AgentMetrics metrics(
            Runs runs, Outbox outbox, Ledger ledger, Plugins plugins, Receivers receivers) {
        return new AgentMetrics(
                runs, outbox, ledger, plugins, receivers, config(), settings.launcherVersion());
    }

    AdminServer admin(HealthSource health, AgentMetrics metrics) {
        return AdminServer.open(
                settings.adminPort(), Version.text(), health, metrics.shown(settings.metrics()));
    }

    Receivers receivers(Supplier<String> webAddress) {
        return new Receivers(
                config().additions().notifications(),
                Sender.of(config().identity(), Version.text(), webAddress),
                new ProxyByEnvironment(System.getenv()),
                ids,
                clock);
    }

    ControlPlaneClient controlPlane() {
        var identity = config().identity();
        return new ControlPlaneClient(
                config().addresses().api(),
                settings.security(),
                new ProxyByEnvironment(System.getenv()),
                identity.projectId(),
                identity.pipedId(),
                identity.key().reveal());
    }

    Lease lease(ControlPlaneClient controlPlane) {
        var life = config().intervals().takeOver();
        return new Lease(
                LeaseOffice.at(controlPlane, life),
                new LeaseNote(settings.dataDirectory().resolve("lease")),
                new LeaseHolder(life, AgentSettings.machine(), ids.next()),
                System::nanoTime,
                clock);
    }

    /// What is asked before a stage starts.
    Gate gate(Lease lease, Outbox outbox, ControlPlaneClient controlPlane) {
        return new LeaseGate(
                lease,
                outbox::awaitHeard,
                clock,
                new ChainGate(Gate.OPEN, new ChainTurns(controlPlane)));
    }

    Repositories repositories() {
        var data = settings.dataDirectory();
        var watched =
                config().repositories().stream()
                        .map(r -> new Repository(r.id(), r.remote(), r.branch(), r.depth()))
                        .toList();
        var git = GitBinary.onPath(new GitAccess(data.resolve("git"), config().git()));
        return new Repositories(data.resolve("mirrors"), watched, git, clock);
    }

    /// Orders that were carried out before a restart and whose report is still under way.
    static List<CommandId> handled(Ledger ledger) {
        return ledger.undelivered().stream()
                .map(Reports::handledCommand)
                .flatMap(Optional::stream)
                .toList();
    }

    Sources sources(
            Repositories repositories, ApplicationFiles files, Secrets secrets, Ledger ledger) {
        return new Sources(
                repositories,
                files,
                settings.dataDirectory().resolve("work"),
                new Unsealing(secrets),
                ledger.unfinished());
    }

    Plugins plugins(Notifier notifier, PluginDesk desk) {
        var data = settings.dataDirectory().resolve("plugins");
        return new Plugins(
                new PluginSettings(
                        data,
                        config().plugins(),
                        settings.plugins().host(),
                        settings.plugins().servicePort(),
                        Timing.USUAL.leavingWithin(settings.plugins().grace()),
                        config().additions().maxRunningStages(),
                        notifier),
                new Programs(
                        data.resolve("programs"), System.getenv(), settings.plugins().fetchAnew()),
                new Tools(
                        settings.plugins().toolsDirectory(),
                        config().additions().tools(),
                        TOOL_INSTALLED_WITHIN),
                desk,
                new SecureRandom());
    }

    /// Only who acts under this id carries events into Git.
    Round events(Outlook.Hands hands, Ledger ledger, Lease lease, Consumer<RepositoryId> pushed) {
        var watcher =
                EventWatcher.of(
                        new EventWatcher.Setting(config(), clock, pushed),
                        hands.repositories(),
                        hands.files(),
                        hands.applications(),
                        hands.controlPlane(),
                        hands.outbox(),
                        ledger);
        return new Round(
                "events",
                config().additions().eventWatcher()::checkInterval,
                () -> {
                    if (lease.forward()) watcher.look();
                });
    }
}
