// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.run.Gate;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Deployment chains as the control plane keeps them, with one application a block.
final class SimulatedChains {
    static final Duration BETWEEN = Duration.ofMinutes(5);

    private final Collection<String> applications;
    private final Map<String, Deployment> deployments;
    private final Map<String, Command> commands;
    private final Map<String, CommandStatus> handled;
    private final Map<String, String> firsts = new HashMap<>();

    SimulatedChains(
            Collection<String> applications,
            Map<String, Deployment> deployments,
            Map<String, Command> commands,
            Map<String, CommandStatus> handled) {
        this.applications = applications;
        this.deployments = deployments;
        this.commands = commands;
        this.handled = handled;
    }

    void begin(CreateDeploymentChainRequest request) {
        var first = request.getFirstDeployment();
        if (deployments.putIfAbsent(first.getId(), first) != null) return;
        var chain = "chain-" + first.getId();
        firsts.put(chain, first.getId());
        for (var i = 0; i < request.getMatchersCount(); i++) {
            var application = request.getMatchers(i).getName();
            if (!applications.contains(application)) continue;
            var id = chain + "-" + (i + 1);
            commands.put(
                    id,
                    Command.newBuilder()
                            .setId(id)
                            .setType(Command.Type.CHAIN_SYNC_APPLICATION)
                            .setApplicationId(application)
                            .setCommander(chain)
                            .setChainSyncApplication(
                                    Command.ChainSyncApplication.newBuilder()
                                            .setDeploymentChainId(chain)
                                            .setBlockIndex(i + 1)
                                            .setApplicationId(application))
                            .build());
        }
    }

    Gate.Turn turn(Deployment chained) {
        var chain = chained.getDeploymentChainId();
        for (var block = chained.getDeploymentChainBlockIndex() - 1; block >= 0; block--) {
            if (handled.get(chain + "-" + block) == CommandStatus.COMMAND_FAILED)
                return new Gate.Turn.Never("block %d was refused".formatted(block));
            var before = in(chain, block);
            if (before.isEmpty() || !SimulatedControlPlane.ended(before.get()))
                return new Gate.Turn.Later(BETWEEN);
            if (before.get().getStatus() != DeploymentStatus.DEPLOYMENT_SUCCESS)
                return new Gate.Turn.Never("block %d did not succeed".formatted(block));
        }
        return new Gate.Turn.Now();
    }

    private Optional<Deployment> in(String chain, int block) {
        if (block == 0) return Optional.ofNullable(deployments.get(firsts.get(chain)));
        return deployments.values().stream()
                .filter(d ->
                        d.getDeploymentChainId().equals(chain)
                                && d.getDeploymentChainBlockIndex() == block)
                .findFirst();
    }
}
