// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.chain.Links.Node;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.command.Commands;
import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ChainBlockStatus;
import dev.pipecd.wire.model.ChainNode;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.SyncStrategy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// Moves chains on as their deployments move. Everything it orders has an id that follows from the
/// chain, so that it can be told any number of times.
public final class ChainMoves {
    private static final int AT_ONCE = 1_000;
    private static final Duration TIME_TO_BEGIN = Duration.ofMinutes(10);
    private static final Duration SLACK = Duration.ofMinutes(1);
    private static final String ACTOR = "control plane";

    private final ChainStore store;
    private final DeploymentStore deployments;
    private final ApplicationStore applications;
    private final Commands commands;
    private final InstantSource clock;

    public ChainMoves(
            ChainStore store,
            DeploymentStore deployments,
            ApplicationStore applications,
            Commands commands,
            InstantSource clock) {
        this.store = store;
        this.deployments = deployments;
        this.applications = applications;
        this.commands = commands;
        this.clock = clock;
    }

    /// Something of the chain has moved: so does the chain.
    public Optional<DeploymentChain> follow(String chain) {
        return move(chain, deployments.inChain(chain), Set.of());
    }

    /// Looks after every chain under way: orders that a crash swallowed are given, and who will
    /// never deploy is not waited for.
    public void lookAfterAll() {
        store.live(AT_ONCE).forEach(this::lookAfter);
    }

    /// The same for one chain.
    public void lookAfter(String chain) {
        store.find(chain).filter(c -> !Links.ended(c.getStatus())).ifPresent(this::lookAfter);
    }

    private void lookAfter(DeploymentChain chain) {
        var found = deployments.inChain(chain.getId());
        var _ = move(chain.getId(), found, lost(chain, found));
    }

    private Optional<DeploymentChain> move(String id, List<Deployment> found, Set<Node> lost) {
        var links = new Links(found, lost, clock.instant().getEpochSecond());
        var stored = store.find(id);
        // orders first: a crash in between leaves a chain that is still looked after
        stored.map(links::settled).ifPresent(settled -> cancelWhatIsLeft(settled, found));
        return store.update(
                id,
                ACTOR,
                chain -> {
                    var settled = links.settled(chain);
                    return settled.equals(chain)
                            ? new Edit.Unchanged<>()
                            : new Edit.Changed<>(settled, told(chain, settled));
                });
    }

    private static String told(DeploymentChain before, DeploymentChain after) {
        return before.getStatus() == after.getStatus()
                ? "moved on"
                : after.getStatus()
                        .name()
                        .replace("DEPLOYMENT_CHAIN_", "")
                        .toLowerCase(java.util.Locale.ROOT);
    }

    /// Of a block that failed, the siblings that still run are stopped; those that are not planned
    /// yet learn it when their agent asks.
    private void cancelWhatIsLeft(DeploymentChain chain, List<Deployment> found) {
        for (var deployment : found) {
            var index = deployment.getDeploymentChainBlockIndex();
            if (index >= chain.getBlocksCount() || !stopped(chain, index)) continue;
            switch (deployment.getStatus()) {
                case DEPLOYMENT_PLANNED, DEPLOYMENT_RUNNING -> cancel(chain, deployment);
                case DEPLOYMENT_PENDING,
                        DEPLOYMENT_ROLLING_BACK,
                        DEPLOYMENT_SUCCESS,
                        DEPLOYMENT_FAILURE,
                        DEPLOYMENT_CANCELLED,
                        UNRECOGNIZED -> {}
            }
        }
    }

    private static boolean stopped(DeploymentChain chain, int block) {
        var status = chain.getBlocks(block).getStatus();
        return status == ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE
                || status == ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED;
    }

    private void cancel(DeploymentChain chain, Deployment deployment) {
        commands.give(
                new ProjectId(chain.getProjectId()),
                id(chain.getId(), "cancel", deployment.getId()),
                Command.newBuilder()
                        .setType(Command.Type.CANCEL_DEPLOYMENT)
                        .setCommander(chain.getId())
                        .setPipedId(deployment.getPipedId())
                        .setApplicationId(deployment.getApplicationId())
                        .setDeploymentId(deployment.getId())
                        .setCancelDeployment(
                                Command.CancelDeployment.newBuilder()
                                        .setDeploymentId(deployment.getId())));
    }

    /// Orders the deployment of everything behind the first block.
    void orderAll(DeploymentChain chain) {
        for (var block = 1; block < chain.getBlocksCount(); block++)
            for (var node : chain.getBlocks(block).getNodesList()) {
                var place = place(block, node);
                application(place).ifPresent(a -> order(chain, place, a));
            }
    }

    private void order(DeploymentChain chain, Node node, Application application) {
        commands.give(
                new ProjectId(chain.getProjectId()),
                orderOf(chain, node),
                Command.newBuilder()
                        .setType(Command.Type.CHAIN_SYNC_APPLICATION)
                        .setCommander(chain.getId())
                        .setPipedId(application.getPipedId())
                        .setApplicationId(node.application())
                        .setChainSyncApplication(
                                Command.ChainSyncApplication.newBuilder()
                                        .setDeploymentChainId(chain.getId())
                                        .setBlockIndex(node.block())
                                        .setApplicationId(node.application())
                                        .setSyncStrategy(SyncStrategy.AUTO)));
    }

    private Set<Node> lost(DeploymentChain chain, List<Deployment> found) {
        var lost = new HashSet<Node>();
        var present = new HashSet<Node>();
        found.forEach(d -> present.add(Node.of(d)));
        for (var block = 0; block < chain.getBlocksCount(); block++)
            for (var node : chain.getBlocks(block).getNodesList()) {
                var place = place(block, node);
                if (!present.contains(place) && isLost(chain, place)) lost.add(place);
            }
        return lost;
    }

    private boolean isLost(DeploymentChain chain, Node node) {
        if (node.block() == 0) {
            var opened = Instant.ofEpochSecond(chain.getCreatedAt());
            return clock.instant().isAfter(opened.plus(TIME_TO_BEGIN));
        }
        var order = given(chain, node);
        if (order.isPresent()) return isLost(order.get());
        var application = application(node);
        application.ifPresent(a -> order(chain, node, a));
        return application.isEmpty();
    }

    /// An agent that says it did it and made no deployment will not make one any more.
    private boolean isLost(Command order) {
        return switch (order.getStatus()) {
            case COMMAND_FAILED, COMMAND_TIMEOUT -> true;
            case COMMAND_SUCCEEDED -> {
                var answered = Instant.ofEpochSecond(order.getUpdatedAt());
                yield clock.instant().isAfter(answered.plus(TIME_TO_BEGIN));
            }
            case COMMAND_NOT_HANDLED_YET, UNRECOGNIZED -> false;
        };
    }

    /// The order for a node, if there is one. Those of a chain that a public server opened have ids
    /// of their own, and were given with the chain.
    private Optional<Command> given(DeploymentChain chain, Node node) {
        var ours = commands.find(orderOf(chain, node));
        if (ours.isPresent() || isOurs(chain)) return ours;
        return application(node).stream()
                .map(a -> new PipedId(a.getPipedId()))
                .flatMap(agent ->
                        commands.since(agent, chain.getCreatedAt() - SLACK.toSeconds()).stream())
                .filter(c -> c.getType() == Command.Type.CHAIN_SYNC_APPLICATION)
                .filter(c -> isFor(c.getChainSyncApplication(), chain, node))
                .findFirst();
    }

    private static boolean isFor(
            Command.ChainSyncApplication order, DeploymentChain chain, Node node) {
        return order.getDeploymentChainId().equals(chain.getId())
                && order.getBlockIndex() == node.block()
                && order.getApplicationId().equals(node.application());
    }

    /// Ids of ours follow from a name, those of public servers are random.
    private static boolean isOurs(DeploymentChain chain) {
        try {
            return UUID.fromString(chain.getId()).version() == 3;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private Optional<Application> application(Node node) {
        return applications.find(new ApplicationId(node.application()));
    }

    private static Node place(int block, ChainNode node) {
        return new Node(block, node.getApplicationRef().getApplicationId());
    }

    private static CommandId orderOf(DeploymentChain chain, Node node) {
        return id(chain.getId(), "sync " + node.block(), node.application());
    }

    private static CommandId id(String chain, String what, String of) {
        return new CommandId(name("%s %s %s".formatted(chain, what, of)));
    }

    /// The same name gives the same id.
    static String name(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
