// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.report.Lease;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.StageId;
import dev.pipecd.domain.engine.Observation.GateAnswer;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.time.Duration;
import java.time.InstantSource;

/// Lets nothing go forward while it is not certain that this agent alone acts under its id. A
/// rollback goes on: it leads to what served before.
///
/// Who takes over knows what the control plane knows. So nothing is opened before that was asked
/// for, and nothing begun of what it has not heard of: the other would open it once more.
///
/// @param heard whether the control plane has heard of a deployment, and takes it
/// @param behind asked when this one has nothing against it
public record LeaseGate(Lease lease, Heard heard, InstantSource clock, Gate behind)
        implements Gate {
    private static final Duration ASKED_AGAIN = Duration.ofSeconds(10);

    /// Usually it hears of it within some milliseconds.
    private static final Duration HEARD_WITHIN = Duration.ofSeconds(5);

    @Override
    public GateAnswer ask(Deployment deployment, StageId stage) {
        var rollback =
                deployment.getStagesList().stream()
                        .anyMatch(s -> s.getId().equals(stage.value()) && s.getRollback());
        if (rollback) return behind.ask(deployment, stage);
        if (!lease.forward())
            return hold("the control plane has not confirmed that this agent still acts");
        if (!lease.isOffered()) return behind.ask(deployment, stage);
        return switch (heard(new DeploymentId(deployment.getId()))) {
            case Outbox.Answer.Taken() -> behind.ask(deployment, stage);
            case Outbox.Answer.Refused(var why) ->
                    new GateAnswer.Refuse(
                            "the control plane refused to take this deployment: " + why);
            case Outbox.Answer.ComeAgain _ ->
                    hold("the control plane has not heard of this deployment yet");
        };
    }

    private GateAnswer hold(String reason) {
        return new GateAnswer.Hold(reason, clock.instant().plus(ASKED_AGAIN));
    }

    private Outbox.Answer heard(DeploymentId deployment) {
        try {
            return heard.within(deployment, HEARD_WITHIN);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return new Outbox.Answer.ComeAgain("the agent stops");
        }
    }

    @Override
    public boolean opens(boolean told) {
        return lease.forward() && (told || !lease.isOffered()) && behind.opens(told);
    }

    @Override
    public void awaitAwake() throws InterruptedException {
        lease.awaitAwake();
    }

    @Override
    public void awaitForward(PipelineStage stage) throws InterruptedException {
        if (stage.getRollback()) lease.awaitAwake();
        else lease.awaitForward();
        behind.awaitForward(stage);
    }

    @Override
    public boolean isForward(PipelineStage stage) {
        return (stage.getRollback() ? lease.isAwake() : lease.forward()) && behind.isForward(stage);
    }

    @Override
    public Turn turn(Deployment chained) {
        return behind.turn(chained);
    }

    /// What the control plane says to a deployment in this time.
    @FunctionalInterface
    public interface Heard {
        Outbox.Answer within(DeploymentId deployment, Duration atMost) throws InterruptedException;
    }
}
