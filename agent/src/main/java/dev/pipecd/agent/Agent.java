// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.notify.Receivers;
import dev.pipecd.agent.plan.Planner;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.process.Machine;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.HealthNews;
import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.Link;
import dev.pipecd.agent.report.Listing;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.run.Orders;
import dev.pipecd.agent.run.Planning;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.run.PluginStages;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.trigger.Opening;
import dev.pipecd.agent.trigger.Trigger;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts the agent together in the order of the walk, and takes it apart in reverse.
final class Agent implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Agent.class);

    /// The agent's only clock: whatever needs the time is handed this one.
    static final Machine CLOCK = Machine.of(InstantSource.system());

    private static final Duration OFTEN = Duration.ofSeconds(5);
    static final Duration USUAL = Duration.ofMinutes(1);

    /// How often orders are asked for while nobody pushes them.
    static final Duration WITHOUT_LINK = Duration.ofSeconds(5);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Machine clock = CLOCK;
    private final IdSource ids = () -> UUID.randomUUID().toString();
    private final PipedConfig config;
    private final Introduction introduction;
    private final Receivers receivers;
    private final ControlPlaneClient controlPlane;
    private final Outbox outbox;
    private final Repositories repositories;
    private final Applications applications;
    private final Listing roll;
    private final Plugins plugins;
    private final Runs runs;
    private final Trigger trigger;
    private final Orders orders;
    private final Outlook outlook;
    private final AgentMetrics metrics;
    private final Map<RepositoryId, Round> watching = new LinkedHashMap<>();
    private final Round asking;
    private final Round listing;
    private final Round telling;
    private final Round replacing;
    private final Lease lease;
    private final Link link;
    private final CountDownLatch lost = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;
    private volatile boolean acting;
    private volatile boolean leaving;
    private volatile boolean linked;
    private volatile boolean introduced;
    private volatile String webAddress;

    Agent(AgentSettings settings) throws IOException {
        this.config = settings.config().value();
        var parts = new Parts(settings, clock, ids);
        var data = settings.dataDirectory();
        this.webAddress = config.addresses().web();
        // The last to be closed: it hears of the others to the end.
        this.receivers = opens(parts.receivers(() -> webAddress));
        var ledger = opens(Ledger.open(data.resolve("journal")));
        this.controlPlane = opens(parts.controlPlane());
        this.lease = opens(parts.lease(controlPlane));
        this.outbox = opens(new Outbox(ledger, controlPlane, clock, lease::forward));
        this.repositories = opens(parts.repositories());
        this.applications = new Applications(data.resolve("applications"));
        this.roll =
                new Listing(controlPlane::applications, applications, clock::uptime, () -> linked);
        var files = new ApplicationFiles(repositories);
        this.introduction = Introduction.of(settings.config());
        var sources = parts.sources(repositories, files, introduction.secrets(), ledger);
        this.plugins = opens(parts.plugins(receivers, desk()));
        var planner = new Planner(files, sources, plugins, applications, ids, clock);
        var opening = new Opening(ids, clock, config.plugins());
        this.runs =
                opens(
                        new Runs(
                                outbox,
                                pending -> planned(planner.plan(opening.aimed(pending)), opening),
                                parts.gate(lease, outbox, controlPlane),
                                new PluginStages(files, sources, plugins, repositories),
                                clock,
                                receivers,
                                new Endings(applications, this::lookEverywhere)));
        this.trigger =
                new Trigger(
                        repositories,
                        files,
                        applications,
                        outbox,
                        opening.with(repositories, applications, runs::open, runs::room),
                        receivers,
                        controlPlane::deployment);
        this.orders = new Orders(runs, outbox, Parts.handled(ledger), this::order, clock);
        var hands = hands(files, sources);
        this.metrics = parts.metrics(runs, outbox, ledger, plugins, receivers);
        this.outlook = opens(outlook(hands, opening, planner));
        var health =
                new AgentHealth(plugins, repositories, controlPlane, lease, outbox, ledger, runs);
        opens(parts.admin(health, metrics));
        plugins.start();
        config.repositories().forEach(r -> watching.put(r.id(), opens(watch(r.id()))));
        this.listing = opens(new Round("applications", this::untilListed, this::list));
        this.asking = opens(new Round("commands", () -> outlook.untilAsked(linked), this::ask));
        var news = new HealthNews(controlPlane, health, clock::uptime);
        this.telling = opens(new Round("health", () -> OFTEN, news::tell));
        this.replacing = opens(parts.events(hands, ledger, lease, this::changed));
        this.link = opens(new Link(controlPlane, new Hints(), clock::uptime));
        // The first to be closed: whoever waits for a full disk would hold up all the others.
        opened.push(ledger::stopWaiting);
        opened.push(this::tellStopped);
        lease.start(new Tenure(ledger));
    }

    private PluginDesk desk() {
        return new PluginDesk(() -> runs, new SharedObjects(controlPlane));
    }

    private Outlook.Hands hands(ApplicationFiles files, Sources sources) {
        return new Outlook.Hands(
                repositories, files, sources, plugins, applications, outbox, controlPlane);
    }

    private Outlook outlook(Outlook.Hands hands, Opening opening, Planner planner) {
        return new Outlook(
                config,
                hands,
                new Outlook.Loops(opening, planner, runs, trigger),
                receivers,
                metrics,
                clock,
                this::leave);
    }

    /// Loops do not know one another: what one makes is handed to the next here.
    private static Planning.Planned planned(Planner.Planned made, Opening opening) {
        return new Planning.Planned(made.plan(), opening.reaching(made.sheet()));
    }

    private Round watch(RepositoryId repository) {
        return new Round(
                "repository " + repository,
                () -> config.intervals().sync(),
                round -> {
                    if (runs.opens()) trigger.look(repository, round::hinted);
                    outlook.looked();
                });
    }

    private void tellStopped() {
        if (acting) receivers.tell(new Event.PipedStopped());
    }

    /// Comes back when another agent acts under this id; with false when people ordered a restart.
    boolean awaitLoss() throws InterruptedException {
        lost.await();
        if (failure != null) throw failure;
        if (leaving) return false;
        runs.leave();
        return true;
    }

    private void leave() {
        leaving = true;
        lost.countDown();
    }

    private void changed(RepositoryId repository) {
        var watch = watching.get(repository);
        if (watch != null) watch.hint();
    }

    private void lookEverywhere() {
        watching.values().forEach(Round::hint);
    }

    /// Orders may wait for the first answer.
    private Duration untilListed() {
        return runs.reconciled() ? USUAL : WITHOUT_LINK;
    }

    /// Who we are, how we are, and what is ours.
    private void list() {
        if (!introduced) introduce();
        try {
            controlPlane.stat(metrics.heartbeat());
        } finally { // The work does not wait until people see how we are.
            reconcile();
        }
    }

    /// What people ordered is asked for before deployments are taken up that the journal forgot: a
    /// cancel must come before the rollback of a stage whose outcome is unknown.
    private void reconcile() {
        List<Deployment> unfinished;
        try {
            unfinished = controlPlane.unfinished();
        } finally { // Behind that: what is over by then is known to its application.
            if (roll.refreshIfDue()) lookEverywhere();
            trigger.tellStrays();
            outlook.refresh();
        }
        var first = !runs.reconciled();
        if (first) ask();
        runs.tellOver(applications::all, unfinished, controlPlane::deployment);
        try {
            runs.reconcile(unfinished, controlPlane::deployment, orders::takeEarly);
        } finally {
            if (runs.reconciled()) orders.takeEarly();
        }
        // What could not be opened before that was put back.
        if (first) asking.hint();
    }

    private void introduce() {
        var known = introduction.to(controlPlane);
        introduced = true;
        if (webAddress.isEmpty()) webAddress = known.webAddress();
        log.info("connected to the control plane {} as {}", controlPlane.address(), known.name());
        outbox.nudge();
    }

    private void ask() {
        outlook.ordered(controlPlane::commands).forEach(orders::take);
    }

    private void order(Command command) {
        switch (command.getType()) {
            case BUILD_PLAN_PREVIEW -> outlook.preview(command);
            case RESTART_PIPED -> outlook.restart(command);
            // Fetching may take long; others must not wait for it.
            default ->
                    Thread.ofVirtual()
                            .name("sync")
                            .start(() -> orders.attempt(command, this::syncKnown));
        }
    }

    /// An application that is not known yet may be new, or forgotten with the disk.
    private void syncKnown(Command command) {
        try {
            if (applications.find(new ApplicationId(command.getApplicationId())).isEmpty()
                    && roll.refresh()) lookEverywhere();
        } catch (Problem unreachable) {
            orders.putBack(command);
            return;
        }
        if (!trigger.sync(command)) orders.putBack(command);
    }

    private <T extends AutoCloseable> T opens(T part) {
        opened.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                log.warn("while stopping: {}", e.getMessage());
            }
        }
    }

    /// What this agent does while it is the one that acts under its id.
    private final class Tenure implements Lease.Tenant {
        private final Ledger ledger;

        Tenure(Ledger ledger) {
            this.ledger = ledger;
        }

        @Override
        public void forget() {
            ledger.forgetUnfinished();
            orders.remember(Parts.handled(ledger));
            applications.forget();
        }

        @Override
        public void begin() {
            try {
                outbox.begin();
                runs.takeUp(ledger.stories());
                watching.values().forEach(Round::start);
                outlook.start();
                listing.start();
                asking.start();
                telling.start();
                replacing.start();
                link.start();
                acting = true;
                receivers.tell(new Event.PipedStarted());
            } catch (Throwable e) {
                failure =
                        e instanceof RuntimeException known ? known : new IllegalStateException(e);
                lost.countDown();
            }
        }

        @Override
        public void lost() {
            lost.countDown();
        }

        @Override
        public boolean idle() {
            return runs.active() == 0;
        }
    }

    /// What the control plane pushes. Everything is a hint; the rounds find it too.
    private final class Hints implements Link.Listener {
        @Override
        public void up() {
            if (linked) return;
            linked = true;
            outbox.nudge();
            roll.hint();
            listing.hint();
            asking.hint();
            // A push told of while nobody listened would wait for the next poll.
            lookEverywhere();
            replacing.hint();
        }

        @Override
        public void down() {
            linked = false;
        }

        @Override
        public void command(Command command) {
            orders.take(command);
        }

        @Override
        public void repositoryChanged(RepositoryId repository) {
            changed(repository);
        }

        @Override
        public void applicationsChanged() {
            roll.hint();
            listing.hint();
        }

        @Override
        public void liveStateWanted(ApplicationId application) {
            outlook.want(application);
        }

        @Override
        public void eventsChanged() {
            replacing.hint();
        }
    }
}
