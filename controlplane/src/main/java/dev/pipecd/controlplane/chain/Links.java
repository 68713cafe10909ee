// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.wire.model.ChainBlock;
import dev.pipecd.wire.model.ChainBlockStatus;
import dev.pipecd.wire.model.ChainDeploymentRef;
import dev.pipecd.wire.model.ChainNode;
import dev.pipecd.wire.model.ChainStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentChain;
import dev.pipecd.wire.model.DeploymentStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a chain is worth, given its deployments: pure, and never a step back.
final class Links {
    private final Map<Node, Deployment> deployments = new HashMap<>();
    private final Set<Node> lost;
    private final long now;

    /// @param lost those that will never have a deployment
    Links(Collection<Deployment> deployments, Set<Node> lost, long now) {
        for (var deployment : deployments)
            this.deployments.merge(Node.of(deployment), deployment, Links::newer);
        this.lost = Set.copyOf(lost);
        this.now = now;
    }

    private static Deployment newer(Deployment a, Deployment b) {
        return a.getCreatedAt() >= b.getCreatedAt() ? a : b;
    }

    DeploymentChain settled(DeploymentChain chain) {
        var settled = chain.toBuilder().clearBlocks();
        var before = ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS;
        for (var i = 0; i < chain.getBlocksCount(); i++) {
            var block = settled(chain.getBlocks(i), i, before);
            settled.addBlocks(block);
            before = block.getStatus();
        }
        if (ended(chain.getStatus())) return settled.build();
        settled.setStatus(status(settled.getBlocksList(), chain.getStatus()));
        if (ended(settled.getStatus())) settled.setCompletedAt(now);
        return settled.build();
    }

    private ChainBlock settled(ChainBlock block, int index, ChainBlockStatus before) {
        var settled = block.toBuilder().clearNodes();
        for (var node : block.getNodesList()) settled.addNodes(settled(node, index));
        if (ended(block.getStatus())) return settled.build();
        settled.setStatus(status(settled, index, before));
        if (ended(settled.getStatus())) settled.setCompletedAt(now);
        return settled.build();
    }

    private ChainNode settled(ChainNode node, int index) {
        var deployment =
                deployments.get(new Node(index, node.getApplicationRef().getApplicationId()));
        if (deployment == null) return node;
        var known = node.getDeploymentRef();
        // a look that came late must not undo a newer one
        if (known.getDeploymentId().equals(deployment.getId())
                && step(known.getStatus()) > step(deployment.getStatus())) return node;
        return node.toBuilder()
                .setDeploymentRef(
                        ChainDeploymentRef.newBuilder()
                                .setDeploymentId(deployment.getId())
                                .setStatus(deployment.getStatus())
                                .setStatusReason(deployment.getStatusReason()))
                .build();
    }

    /// How far it has come: a failure may have been a loss, which the true end follows.
    private static int step(DeploymentStatus status) {
        return switch (status) {
            case UNRECOGNIZED -> -1;
            case DEPLOYMENT_PENDING -> 0;
            case DEPLOYMENT_PLANNED -> 1;
            case DEPLOYMENT_RUNNING -> 2;
            case DEPLOYMENT_ROLLING_BACK -> 3;
            case DEPLOYMENT_FAILURE -> 4;
            case DEPLOYMENT_SUCCESS, DEPLOYMENT_CANCELLED -> 5;
        };
    }

    private ChainBlockStatus status(ChainBlock.Builder block, int index, ChainBlockStatus before) {
        var nodes = block.getNodesList();
        if (before == ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE
                || before == ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED)
            return ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED;
        if (any(nodes, DeploymentStatus.DEPLOYMENT_FAILURE) || anyLost(nodes, index))
            return ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE;
        if (any(nodes, DeploymentStatus.DEPLOYMENT_CANCELLED))
            return ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED;
        // a block without any application has nothing to wait for but its turn
        if (before == ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS
                && nodes.stream().allMatch(n -> status(n) == DeploymentStatus.DEPLOYMENT_SUCCESS))
            return ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS;
        if (any(nodes, DeploymentStatus.DEPLOYMENT_RUNNING)
                || any(nodes, DeploymentStatus.DEPLOYMENT_ROLLING_BACK)
                || any(nodes, DeploymentStatus.DEPLOYMENT_SUCCESS))
            return ChainBlockStatus.DEPLOYMENT_BLOCK_RUNNING;
        return block.getStatus();
    }

    private boolean anyLost(List<ChainNode> nodes, int index) {
        return nodes.stream()
                .anyMatch(n ->
                        lost.contains(new Node(index, n.getApplicationRef().getApplicationId())));
    }

    private static boolean any(List<ChainNode> nodes, DeploymentStatus status) {
        return nodes.stream().anyMatch(n -> n.hasDeploymentRef() && status(n) == status);
    }

    private static DeploymentStatus status(ChainNode node) {
        return node.getDeploymentRef().getStatus();
    }

    private static ChainStatus status(List<ChainBlock> blocks, ChainStatus otherwise) {
        var statuses = blocks.stream().map(ChainBlock::getStatus).toList();
        if (statuses.contains(ChainBlockStatus.DEPLOYMENT_BLOCK_FAILURE))
            return ChainStatus.DEPLOYMENT_CHAIN_FAILURE;
        if (statuses.contains(ChainBlockStatus.DEPLOYMENT_BLOCK_CANCELLED))
            return ChainStatus.DEPLOYMENT_CHAIN_CANCELLED;
        if (statuses.stream().allMatch(s -> s == ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS))
            return ChainStatus.DEPLOYMENT_CHAIN_SUCCESS;
        return statuses.stream().allMatch(s -> s == ChainBlockStatus.DEPLOYMENT_BLOCK_PENDING)
                ? otherwise
                : ChainStatus.DEPLOYMENT_CHAIN_RUNNING;
    }

    static boolean ended(ChainBlockStatus status) {
        return status.getNumber() >= ChainBlockStatus.DEPLOYMENT_BLOCK_SUCCESS_VALUE;
    }

    static boolean ended(ChainStatus status) {
        return status.getNumber() >= ChainStatus.DEPLOYMENT_CHAIN_SUCCESS_VALUE;
    }

    /// A place in a chain: one application may stand in several blocks.
    record Node(int block, String application) {
        static Node of(Deployment deployment) {
            return new Node(
                    deployment.getDeploymentChainBlockIndex(), deployment.getApplicationId());
        }
    }
}
