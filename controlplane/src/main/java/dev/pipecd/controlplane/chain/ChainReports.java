// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.controlplane.access.Caller.Agent;
import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.deployment.DeploymentReports;
import dev.pipecd.controlplane.paging.Cursor;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ChainApplicationRef;
import dev.pipecd.wire.model.ChainBlock;
import dev.pipecd.wire.model.ChainBlockStatus;
import dev.pipecd.wire.model.ChainDeploymentRef;
import dev.pipecd.wire.model.ChainNode;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import java.time.InstantSource;
import java.util.List;

/// Chains as agents begin them and ask about their turn.
public final class ChainReports {
    private final ChainStore store;
    private final ChainMoves moves;
    private final DeploymentReports deployments;
    private final ApplicationStore applications;
    private final InstantSource clock;

    public ChainReports(
            ChainStore store,
            ChainMoves moves,
            DeploymentReports deployments,
            ApplicationStore applications,
            InstantSource clock) {
        this.store = store;
        this.moves = moves;
        this.deployments = deployments;
        this.applications = applications;
        this.clock = clock;
    }

    /// Begins a chain with the agent's own deployment; each matcher makes a block behind it. Asked
    /// again for the same deployment it goes on where it was interrupted.
    public void create(Agent agent, Deployment first, List<Matcher> matchers) {
        var chainId = ChainMoves.name("chain of " + first.getId());
        var opened = first.toBuilder().setDeploymentChainId(chainId).build();
        deployments.requireNew(agent, opened);
        // the chain first: a deployment of a chain that is not there could never be planned
        store.add(chain(agent, chainId, first, matchers), agent.name());
        var chain = store.find(chainId).orElseThrow();
        deployments.createOnce(agent, opened);
        moves.orderAll(chain);
        var _ = moves.follow(chainId); // blocks without applications have their turn at once
    }

    private DeploymentChain chain(
            Agent agent, String id, Deployment first, List<Matcher> matchers) {
        var chain =
                DeploymentChain.newBuilder()
                        .setId(id)
                        .setProjectId(agent.project().value())
                        .addBlocks(block().addNodes(node(first)));
        for (var matcher : matchers) {
            var block = block();
            applications
                    .list(matcher.in(agent.project()), Cursor.START, Integer.MAX_VALUE)
                    .forEach(application -> block.addNodes(node(application)));
            chain.addBlocks(block);
        }
        return chain.build();
    }

    private ChainBlock.Builder block() {
        return ChainBlock.newBuilder().setStartedAt(clock.instant().getEpochSecond());
    }

    private static ChainNode node(Deployment first) {
        return ChainNode.newBuilder()
                .setApplicationRef(
                        ChainApplicationRef.newBuilder()
                                .setApplicationId(first.getApplicationId())
                                .setApplicationName(first.getApplicationName()))
                .setDeploymentRef(
                        ChainDeploymentRef.newBuilder()
                                .setDeploymentId(first.getId())
                                .setStatus(first.getStatus())
                                .setStatusReason(first.getStatusReason()))
                .build();
    }

    private static ChainNode node(Application application) {
        return ChainNode.newBuilder()
                .setApplicationRef(
                        ChainApplicationRef.newBuilder()
                                .setApplicationId(application.getId())
                                .setApplicationName(application.getName()))
                .build();
    }

    /// Whether it is a deployment's turn.
    public Turn turn(Agent agent, DeploymentId id, String chainId, int block) {
        var deployment = deployments.get(agent, id);
        if (!deployment.getDeploymentChainId().equals(chainId)) throw unknown(chainId, block);
        var chain = moves.follow(chainId).orElseThrow(() -> unknown(chainId, block));
        if (block < 0 || block >= chain.getBlocksCount()) throw unknown(chainId, block);
        // The first that broke is why all behind it are cancelled.
        for (var i = 0; i <= block; i++) {
            var status = chain.getBlocks(i).getStatus();
            var goesOn = i < block && status == ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS;
            if (Links.ended(status) && !goesOn) return new Turn.Never(told(i, status));
        }
        return block == 0 || Links.ended(chain.getBlocks(block - 1).getStatus())
                ? new Turn.Now()
                : new Turn.Later();
    }

    private static String told(int block, ChainBlockStatus status) {
        return "Block %d of the deployment chain has ended as %s"
                .formatted(block, status.name().replace("DEPLOYMENT_BLOCK_", ""));
    }

    private static Problem unknown(String chain, int block) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "deployment chain: %s has no block %d with this deployment (expected: its own)"
                        .formatted(chain, block),
                "Ask with what the deployment itself names.");
    }

    /// When a deployment may be planned.
    public sealed interface Turn {
        record Now() implements Turn {}

        record Later() implements Turn {}

        /// @param why told to people as the reason it is cancelled
        record Never(String why) implements Turn {}
    }
}
