// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import dev.pipecd.agent.plugin.Leave;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/// Stages that end when the test says so; rollback stages succeed at once.
final class ScriptedStages implements Stages {
    final Map<String, BlockingQueue<StageResult>> results = new ConcurrentHashMap<>();
    final Map<String, Thread> threads = new ConcurrentHashMap<>();
    final List<String> runs = new CopyOnWriteArrayList<>();
    final List<String> stopped = new CopyOnWriteArrayList<>();
    final List<String> order = new CopyOnWriteArrayList<>();
    final Map<String, String> unneeded = new ConcurrentHashMap<>();
    final Map<String, Throwable> broken = new ConcurrentHashMap<>();

    /// Rollback stages that go on until they are told to end.
    final Set<String> endless = ConcurrentHashMap.newKeySet();

    final List<String> released = new CopyOnWriteArrayList<>();
    volatile Set<DeploymentId> kept = Set.of();
    volatile int stopsRefused;

    /// What is done before a stage is handed to its plugin.
    volatile Runnable layingOut = () -> {};

    @Override
    public Optional<String> unneeded(Deployment deployment, PipelineStage stage) {
        return Optional.ofNullable(unneeded.get(stage.getId()));
    }

    @Override
    public StageResult run(Deployment deployment, PipelineStage stage, Leave leave)
            throws InterruptedException {
        layingOut.run();
        leave.await();
        runs.add(stage.getId());
        order.add("run " + stage.getId());
        var fault = broken.get(stage.getId());
        if (fault instanceof Error error) throw error;
        if (fault instanceof RuntimeException exception) throw exception;
        threads.put(stage.getId(), Thread.currentThread());
        var ends = stage.getRollback() && !endless.contains(stage.getId());
        return ends ? new StageResult.Succeeded() : queue(stage.getId()).take();
    }

    /// Like a call to a plugin: an agent that stops gets no answer any more.
    @Override
    public synchronized void stop(Deployment deployment, PipelineStage stage, String reason)
            throws InterruptedException {
        if (Thread.interrupted()) throw new InterruptedException();
        if (stopsRefused-- > 0)
            throw new Problem(Problem.Code.PLUGIN_UNAVAILABLE, "plugin: away", "");
        stopped.add(stage.getId());
        order.add("stopped " + stage.getId());
    }

    synchronized void allowStops() {
        stopsRefused = 0;
    }

    @Override
    public void release(Deployment deployment) {
        released.add(deployment.getId());
    }

    @Override
    public void keep(Set<DeploymentId> unfinished) {
        kept = unfinished;
    }

    boolean running(String stage) {
        return threads.containsKey(stage);
    }

    void forgetThreads() {
        threads.clear();
    }

    void finish(String stage, StageResult result) {
        queue(stage).add(result);
    }

    private BlockingQueue<StageResult> queue(String stage) {
        return results.computeIfAbsent(stage, _ -> new LinkedBlockingQueue<>());
    }
}
