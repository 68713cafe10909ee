// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.run.Gate;
import dev.pipecd.agent.run.LeaseGate;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.util.Map;

/// What holds stages and chains back: freezes by chance, the agent's own gate of the lease, and the
/// blocks of the control plane's chains.
///
/// @param asked how often for each stage; outlives the agent
record SimulatedGate(
        Scenario scenario,
        SimulatedMachine machine,
        SimulatedControlPlane controlPlane,
        Lease lease,
        LeaseGate.Heard heard,
        Map<String, Integer> asked)
        implements Gate {
    private static final Duration LONG = Duration.ofDays(3650);

    @Override
    public GateAnswer ask(Deployment deployment, StageId stage) {
        return ofLease().ask(deployment, stage);
    }

    private LeaseGate ofLease() {
        return new LeaseGate(lease, heard, machine, this::frozen);
    }

    private GateAnswer frozen(Deployment deployment, StageId stage) {
        var times = asked.merge(stage.value(), 1, Integer::sum);
        if (times > scenario.conduct(stage.value()).holds()) return new GateAnswer.Allow();
        return new GateAnswer.Hold("frozen", machine.instant().plusSeconds(30));
    }

    @Override
    public boolean opens(boolean told) {
        return ofLease().opens(told);
    }

    @Override
    public void awaitAwake() throws InterruptedException {
        while (!lease.isAwake()) {
            var _ = machine.await(lease::isAwake, LONG);
        }
    }

    @Override
    public void awaitForward(PipelineStage stage) throws InterruptedException {
        while (!machine.await(() -> isForward(stage), LONG)) continue;
    }

    @Override
    public boolean isForward(PipelineStage stage) {
        return ofLease().isForward(stage);
    }

    @Override
    public Turn turn(Deployment chained) {
        return controlPlane.turn(chained);
    }
}
