// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.controlplane.agentapi.About;
import dev.pipecd.controlplane.agentapi.AgentApplicationsDoor;
import dev.pipecd.controlplane.agentapi.AgentChainsDoor;
import dev.pipecd.controlplane.agentapi.AgentDeploymentsDoor;
import dev.pipecd.controlplane.agentapi.AgentDoor;
import dev.pipecd.controlplane.agentapi.AgentEventsDoor;
import dev.pipecd.controlplane.agentapi.AgentLiveStateDoor;
import dev.pipecd.controlplane.application.AnalysisResults;
import dev.pipecd.controlplane.application.ApplicationEdits;
import dev.pipecd.controlplane.application.ApplicationReports;
import dev.pipecd.controlplane.application.Applications;
import dev.pipecd.controlplane.application.Suggestions;
import dev.pipecd.controlplane.chain.ChainMoves;
import dev.pipecd.controlplane.chain.ChainReports;
import dev.pipecd.controlplane.chain.Chains;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.DeploymentReports;
import dev.pipecd.controlplane.deployment.Deployments;
import dev.pipecd.controlplane.deployment.LostDeployments;
import dev.pipecd.controlplane.deployment.StageLogs;
import dev.pipecd.controlplane.event.EventReports;
import dev.pipecd.controlplane.event.Events;
import dev.pipecd.controlplane.event.Traces;
import dev.pipecd.controlplane.insight.PublicFiles;
import dev.pipecd.controlplane.livestate.LiveStates;
import dev.pipecd.controlplane.piped.PipedEdits;
import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.controlplane.piped.Pipeds;
import dev.pipecd.controlplane.piped.SealedSecrets;
import dev.pipecd.controlplane.preview.PlanPreviews;
import dev.pipecd.controlplane.publicapi.ApiApplicationEditsDoor;
import dev.pipecd.controlplane.publicapi.ApiApplicationsDoor;
import dev.pipecd.controlplane.publicapi.ApiDeploymentsDoor;
import dev.pipecd.controlplane.publicapi.ApiPipedsDoor;
import dev.pipecd.controlplane.publicapi.ApiPipelinesDoor;
import dev.pipecd.controlplane.publicapi.DeliveryDoor;
import dev.pipecd.controlplane.release.Releases;
import dev.pipecd.controlplane.retention.Retention;
import dev.pipecd.controlplane.store.ApplicationTable;
import dev.pipecd.controlplane.store.ChainTable;
import dev.pipecd.controlplane.store.CommandTable;
import dev.pipecd.controlplane.store.DeploymentTable;
import dev.pipecd.controlplane.store.EventTable;
import dev.pipecd.controlplane.store.LabelKeeper;
import dev.pipecd.controlplane.store.TraceTable;
import dev.pipecd.controlplane.webapi.WebApplicationEditsDoor;
import dev.pipecd.controlplane.webapi.WebApplicationsDoor;
import dev.pipecd.controlplane.webapi.WebDeploymentsDoor;
import dev.pipecd.controlplane.webapi.WebEventsDoor;
import dev.pipecd.controlplane.webapi.WebPipedEditsDoor;
import dev.pipecd.controlplane.webapi.WebPipedsDoor;
import dev.pipecd.domain.IdSource;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import io.grpc.BindableService;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/// What delivers: applications, their deployments and all that leads to one, put together in the
/// order of the walk.
final class Delivery implements AutoCloseable {
    private final Features.Stores stores;
    private final InstantSource clock;
    private final About about;
    private final Pipeds pipeds;
    private final PipedHealth health;
    private final PipedEdits pipedEdits;
    private final SealedSecrets secrets;
    private final CommandTable commandTable;
    private final Commands commands;

    private final ApplicationTable applicationTable;
    private final Applications applications;
    private final ApplicationEdits applicationEdits;
    private final ApplicationReports applicationReports;
    private final Suggestions suggestions;
    private final LiveStates liveStates;

    private final DeploymentTable deploymentTable;
    private final Deployments deployments;
    private final DeploymentReports deploymentReports;
    private final StageLogs logs;

    private final ChainTable chainTable;
    private final ChainMoves chainMoves;

    private final EventTable eventTable;
    private final TraceTable traceTable;
    private final Events events;
    private final LabelKeeper labels;

    Delivery(
            Features.Stores stores, Pipeds pipeds, About about, IdSource ids, InstantSource clock) {
        this.stores = stores;
        this.clock = clock;
        this.about = about;
        this.pipeds = pipeds;
        this.health = new PipedHealth(pipeds, stores.cache(), clock);
        var database = stores.database();
        var trail = stores.trail();
        var files = stores.files();
        var changes = stores.changes();

        commandTable = new CommandTable(database, trail, clock);
        commands = new Commands(commandTable, files, ids, clock);
        pipedEdits = new PipedEdits(pipeds, commands);
        secrets = new SealedSecrets(pipeds);

        applicationTable = new ApplicationTable(database, trail, clock);
        applications = new Applications(applicationTable, pipeds, commands, ids);
        applicationEdits = new ApplicationEdits(applicationTable, pipeds, clock);
        applicationReports = new ApplicationReports(applicationTable, files, clock);
        suggestions = new Suggestions(pipeds, files);
        liveStates =
                new LiveStates(
                        applicationReports,
                        applications,
                        stores.kept().snapshots(),
                        changes,
                        clock);

        deploymentTable = new DeploymentTable(database, trail, clock);
        deployments = new Deployments(deploymentTable, commands);
        deploymentReports = new DeploymentReports(deploymentTable, applicationReports, clock);
        logs = new StageLogs(stores.logs(), deploymentReports, deployments, changes, clock);

        chainTable = new ChainTable(database, trail, clock);
        chainMoves = new ChainMoves(chainTable, deploymentTable, applicationTable, commands, clock);

        eventTable = new EventTable(database, trail, clock);
        traceTable = new TraceTable(database, trail, clock);
        events = new Events(eventTable, traceTable, ids, clock);
        labels = LabelKeeper.start(clock, applicationTable, deploymentTable, eventTable);
    }

    PipedHealth health() {
        return health;
    }

    Commands commands() {
        return commands;
    }

    /// What has to be done now and then, whoever calls or not.
    void lookAfter() {
        var _ = commands.expire();
        chainMoves.lookAfterAll();
    }

    /// @param limit how long an agent may be silent; zero means for ever
    LostDeployments lost(Supplier<Collection<PipedId>> agents, Duration limit) {
        return new LostDeployments(
                deploymentTable, applicationTable, agents, pipeds.heartbeats(), limit, clock);
    }

    Retention retention(
            Supplier<Collection<ProjectId>> projects, ControlPlaneConfig.Retention policy) {
        var kinds =
                new dev.pipecd.controlplane.retention.Stores(
                        deploymentTable, eventTable, commandTable, applicationTable, chainTable);
        return new Retention(kinds, stores.files(), projects, policy, clock);
    }

    PublicFiles publicFiles(Supplier<Collection<ProjectId>> projects, int chunkSize) {
        return new PublicFiles(
                stores.files(), applicationTable, deploymentTable, projects, chunkSize, clock);
    }

    List<BindableService> forAgents() {
        var chains =
                new ChainReports(
                        chainTable, chainMoves, deploymentReports, applicationTable, clock);
        return List.of(
                new AgentDoor(about, commands, chainMoves),
                new AgentApplicationsDoor(applicationReports, suggestions),
                new AgentDeploymentsDoor(deploymentReports, logs, chainMoves),
                new AgentChainsDoor(chains),
                new AgentEventsDoor(new EventReports(eventTable, clock)),
                new AgentLiveStateDoor(
                        liveStates, new AnalysisResults(applicationReports, stores.files())));
    }

    List<BindableService> forPeople(Releases releases) {
        return List.of(
                new WebApplicationsDoor(applications, suggestions),
                new WebApplicationEditsDoor(applicationEdits, secrets, liveStates),
                new WebDeploymentsDoor(deployments, logs, commands),
                new WebEventsDoor(
                        events, new Traces(traceTable, deploymentTable), new Chains(chainTable)),
                new WebPipedsDoor(pipeds),
                new WebPipedEditsDoor(pipedEdits, releases));
    }

    /// Beside the public service for keys.
    BindableService ownForKeys() {
        return new DeliveryDoor(deployments, logs, events);
    }

    List<BindableService> forKeys() {
        var previews = new PlanPreviews(pipeds, commands, clock, about.webAddress());
        return List.of(
                new ApiApplicationsDoor(applications),
                new ApiApplicationEditsDoor(applicationEdits),
                new ApiDeploymentsDoor(deployments, logs, commands),
                new ApiPipedsDoor(pipeds, pipedEdits),
                new ApiPipelinesDoor(events, previews, secrets));
    }

    @Override
    public void close() {
        labels.close();
    }
}
