// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.drift.Drift;
import dev.pipecd.agent.drift.News;
import dev.pipecd.agent.drift.PluginSight;
import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plan.Planner;
import dev.pipecd.agent.plugin.LiveStates;
import dev.pipecd.agent.plugin.PlanPreviews;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.preview.PluginAsking;
import dev.pipecd.agent.preview.Preview;
import dev.pipecd.agent.preview.Previews;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.StateReports;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.suggest.Suggestions;
import dev.pipecd.agent.trigger.Opening;
import dev.pipecd.agent.trigger.Trigger;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Command;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Supplier;

/// Puts together what the agent tells beside deploying: live state and drift, previews,
/// suggestions. Takes the orders that are about neither deployment nor stage.
final class Outlook implements AutoCloseable {
    private final Restart restart;
    private final Drift drift;
    private final Previews previews;
    private final Round suggesting;

    /// The hands it works with.
    record Hands(
            Repositories repositories,
            ApplicationFiles files,
            Sources sources,
            Plugins plugins,
            Applications applications,
            Outbox outbox,
            ControlPlaneClient controlPlane) {}

    /// The loops it asks: they do not know one another.
    record Loops(Opening opening, Planner planner, Runs runs, Trigger trigger) {}

    /// @param stop ends the process, for whoever watches it to start it again
    Outlook(
            PipedConfig config,
            Hands hands,
            Loops loops,
            Notifier notifier,
            Previews.Counting counting,
            InstantSource clock,
            Runnable stop) {
        this.restart = new Restart(hands.outbox, clock, stop);
        var reports = new StateReports(hands.controlPlane);
        this.drift =
                new Drift(
                        hands.applications,
                        loops.opening::deployTargets,
                        new PluginSight(
                                new LiveStates(hands.plugins),
                                hands.repositories,
                                hands.files,
                                hands.sources),
                        new News(reports, notifier, clock),
                        loops.runs::deploying,
                        clock);
        this.previews =
                new Previews(
                        new Preview(
                                hands.repositories,
                                hands.files,
                                hands.applications,
                                loops.trigger::mayConcern,
                                asking(hands, loops),
                                clock),
                        hands.outbox,
                        config.additions().planPreview(),
                        counting,
                        clock);
        var suggestions =
                new Suggestions(
                        hands.repositories,
                        hands.files,
                        hands.applications,
                        hands.outbox,
                        reports,
                        new Suggestions.Whose(
                                config.identity().pipedId(), config.additions().appSelector()),
                        clock);
        this.suggesting =
                new Round(
                        "suggestions", () -> config.intervals().appConfigSync(), suggestions::look);
    }

    private static PluginAsking asking(Hands hands, Loops loops) {
        return new PluginAsking(
                (application, commit) ->
                        loops.opening.preview(
                                application,
                                commit,
                                hands.repositories.commitUrl(
                                        new RepositoryId(
                                                application.getGitPath().getRepo().getId()),
                                        commit.hash())),
                opened ->
                        loops.opening.reaching(
                                loops.planner.plan(loops.opening.aimed(opened)).sheet()),
                new PlanPreviews(hands.plugins),
                hands.files,
                hands.sources);
    }

    Outlook start() {
        drift.start();
        suggesting.start();
        return this;
    }

    /// The applications may be others now.
    void refresh() {
        drift.refresh();
        suggesting.hint();
    }

    /// A repository was fetched.
    void looked() {
        suggesting.hint();
    }

    /// Somebody looks at this application now.
    void want(ApplicationId id) {
        drift.want(id);
    }

    /// Asks for the open orders; previews that were begun before and are no longer among them are
    /// called off.
    List<Command> ordered(Supplier<List<Command>> ask) {
        var begun = previews.underWay();
        var open = ask.get();
        previews.keep(begun, open);
        return open;
    }

    /// When open orders are asked for again.
    Duration untilAsked(boolean linked) {
        return untilAsked(linked, !previews.underWay().isEmpty());
    }

    /// That an order for a preview was withdrawn is not pushed.
    static Duration untilAsked(boolean linked, boolean previewing) {
        return linked && !previewing ? Agent.USUAL : Agent.WITHOUT_LINK;
    }

    void preview(Command command) {
        previews.take(command);
    }

    void restart(Command command) {
        restart.order(command);
    }

    @Override
    public void close() {
        suggesting.close();
        previews.close();
        drift.close();
    }
}
