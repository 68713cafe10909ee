// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import dev.pipecd.plugin.testkit.Heard;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Looks at stages at work.
record StageRules(Subject subject, Requests requests, Heard heard, Deeds deeds, Limits limits) {
    private static final Duration LONGEST = Duration.ofMinutes(30);
    private static final Set<StageStatus> FINAL =
            Set.of(
                    StageStatus.STAGE_SUCCESS,
                    StageStatus.STAGE_FAILURE,
                    StageStatus.STAGE_SKIPPED,
                    StageStatus.STAGE_EXITED);

    void ends(Trial.Sample sample) throws InterruptedException {
        var before = wanted();
        var answer = execute("ends", sample);
        Breach.unless(
                FINAL.contains(answer.getStatus()),
                sample.stage() + ": " + answer.getStatus() + " (expected: a final status)");
        if (answer.getStatus() == StageStatus.STAGE_FAILURE)
            throw gaveUp(before, sample.stage() + " failed: " + said("ends", answer));
        Breach.unless(
                heard.refused().isEmpty(),
                heard.refused() + " (expected: lines with text and time)");
        Breach.unless(
                Breach.within(limits.stop(), () -> heard.complete("ends")),
                "its log was not closed within " + Subject.told(limits.stop()));
    }

    private int wanted() {
        return heard.toolsMissing().size();
    }

    /// It said itself that it cannot go on; a tool that it did not get meanwhile is the reason.
    private Breach gaveUp(int before, String how) {
        var missing = heard.toolsMissing();
        return new Breach(how, missing.subList(before, missing.size()));
    }

    private String said(String id, ExecuteStageResponse answer) {
        return answer.getMessage().isEmpty()
                ? String.join(" | ", heard.lines(id))
                : answer.getMessage();
    }

    void sameAgain(Trial.Sample sample) {
        var first = execute("again", sample).getStatus();
        var done = deeds.count();
        var before = wanted();
        var second = execute("again", sample);
        if (first != second.getStatus())
            throw gaveUp(
                    before,
                    "%s: %s, called again %s %s (expected: the same)"
                            .formatted(
                                    sample.stage(),
                                    first,
                                    second.getStatus(),
                                    said("again", second)));
        notDoneAgain(sample, deeds.count() > done);
        var plan = Protocol.names(planned(sample));
        Breach.unless(plan.equals(Protocol.names(planned(sample))), "a plan made again differs");
    }

    private static void notDoneAgain(Trial.Sample sample, boolean again) {
        Breach.unless(
                !again,
                sample.stage()
                        + " called again did its work once more (expected: what was done is not done twice)");
    }

    private List<PipelineStage> planned(Trial.Sample sample) {
        return subject.calls()
                .buildPipelineSyncStages(requests.pipeline(sample, true))
                .getStagesList();
    }

    private ExecuteStageResponse execute(String id, Trial.Sample sample) {
        var before = wanted();
        try {
            return subject.calls(limits.start()).executeStage(requests.execute(id, sample));
        } catch (StatusRuntimeException e) {
            throw gaveUp(before, sample.stage() + ": " + e.getStatus() + " (expected: an outcome)");
        }
    }

    /// Other calls come through while a stage is at work.
    void answersMeanwhile(Trial.Sample sample) throws InterruptedException {
        try (var _ = running("meanwhile", sample)) {
            for (var call = 0; call < 3; call++) {
                var code = Subject.code(subject::stages);
                Breach.unless(
                        code == Status.Code.OK,
                        "FetchDefinedStages while "
                                + sample.stage()
                                + " runs: "
                                + code
                                + " (expected: an answer within "
                                + Subject.told(limits.answer())
                                + ")");
            }
        }
    }

    void stopsWhenCancelled(Trial.Sample sample) throws InterruptedException {
        var stage = running("cancelled", sample);
        stage.close();
        if (Breach.within(limits.stop(), () -> heard.complete("cancelled"))) return;
        throw new Breach(
                "its log was not closed within "
                        + Subject.told(limits.stop())
                        + " after the call was cancelled (expected: the stage ends and closes its log)");
    }

    /// The same stage, begun by a process that is gone; it must not end by itself at once.
    void carriesOn(Trial.Sample sample) throws InterruptedException {
        var before = wanted();
        var called = System.nanoTime();
        try (var stage = running("crashed", sample)) {
            if (stage.over()) throw gaveUp(before, "called again it ended: " + stage.outcome());
            // It may speak before it sets to work.
            var left = limits.answer().minusNanos(System.nanoTime() - called);
            if (deeds.of(sample)) Breach.within(left, () -> stage.over() || deeds.count() > 1);
            notDoneAgain(sample, deeds.count() > 1);
        }
        // What still ends would be in the way of the rules to come; whether it does is another one.
        var _ = Breach.within(limits.stop(), () -> heard.complete("crashed"));
    }

    /// A stage that is at work, seen by what it says.
    Running running(String id, Trial.Sample sample) throws InterruptedException {
        var before = wanted();
        var said = heard.spoken(id);
        var context = Context.current().withCancellation();
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        Future<ExecuteStageResponse> call =
                threads.submit(
                        context.wrap(() ->
                                subject.calls(LONGEST).executeStage(requests.execute(id, sample))));
        threads.shutdown();
        var running = new Running(context, call);
        var _ = Breach.within(limits.answer(), () -> running.over() || heard.spoken(id) > said);
        if (running.over() && !running.lost())
            throw gaveUp(
                    before,
                    sample.stage()
                            + " ended at once: "
                            + running.outcome()
                            + " (expected: the stage that takes long)");
        return running;
    }

    record Running(Context.CancellableContext context, Future<ExecuteStageResponse> call)
            implements AutoCloseable {
        boolean over() {
            return call.isDone();
        }

        /// The connection is gone: it may have been a kill.
        boolean lost() {
            return over() && outcome().startsWith("UNAVAILABLE");
        }

        String outcome() {
            try {
                var answer = call.get();
                return answer.getStatus() + " " + answer.getMessage();
            } catch (ExecutionException e) {
                return e.getCause() instanceof StatusRuntimeException told
                        ? told.getStatus().getCode() + " " + told.getStatus().getDescription()
                        : String.valueOf(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "interrupted";
            }
        }

        @Override
        public void close() {
            context.cancel(null);
        }
    }
}
