// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.ChainTurns;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a deployment of a chain waiting until the control plane says that its block has come.
///
/// @param stages what is asked before a stage starts
public record ChainGate(Gate stages, ChainTurns turns) implements Gate {
    private static final Logger log = LoggerFactory.getLogger(ChainGate.class);
    private static final Duration BETWEEN = Duration.ofSeconds(5);

    @Override
    public GateAnswer ask(Deployment deployment, StageId stage) {
        return stages.ask(deployment, stage);
    }

    @Override
    public boolean opens(boolean told) {
        return stages.opens(told);
    }

    @Override
    public void awaitAwake() throws InterruptedException {
        stages.awaitAwake();
    }

    @Override
    public void awaitForward(PipelineStage stage) throws InterruptedException {
        stages.awaitForward(stage);
    }

    @Override
    public boolean isForward(PipelineStage stage) {
        return stages.isForward(stage);
    }

    @Override
    public Turn turn(Deployment chained) {
        try {
            return switch (turns.ask(chained)) {
                case ChainTurns.Turn.Now() -> new Turn.Now();
                case ChainTurns.Turn.Later() -> new Turn.Later(BETWEEN);
                case ChainTurns.Turn.Never(var why) -> new Turn.Never(why);
            };
        } catch (Problem unknown) {
            // Away, or it has not heard of the deployment yet: what is not known is not allowed.
            log.debug("chain of deployment {}: {}", chained.getId(), unknown.told());
            return new Turn.Later(BETWEEN);
        }
    }
}
