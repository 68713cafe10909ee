// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.plugin.host.role.Served;
import dev.pipecd.plugin.stage.NoOptions;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.StageStatus;
import dev.pipecd.wire.plugin.deployment.ExecutePluginInput;
import dev.pipecd.wire.plugin.deployment.ExecuteStageResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A stage before its work began: it is stopped, or folders are swept.
class StageCallTest {
    private static final StageKey KEY = new StageKey("deployment-1", "stage-1");
    private static final Stage<NoOptions> STAGE =
            Stage.of("TEST", NoOptions.class, _ -> new StageOutcome.Succeeded());

    @TempDir Path home;

    @Test
    void aStopWhileItsFolderIsBroughtToTheDiskIsAStop() throws Exception {
        var slow = new SlowDisk();
        var call = new FakeCall();
        try (var agent = new AgentClient("localhost:1", "")) {
            var calls = calls(slow, agent);
            calls.execute(STAGE, input(), new Caller(call, true));
            slow.asked.await();

            calls.stop(KEY, "cancelled by ann");
        }

        var answer = call.answers.poll(5, TimeUnit.MINUTES);
        assertThat(answer)
                .isEqualTo(
                        ExecuteStageResponse.newBuilder()
                                .setStatus(StageStatus.STAGE_CANCELLED)
                                .setMessage("cancelled by ann")
                                .build());
    }

    @Test
    void whatAStageAtWorkHasIsKeptThoughItEndedLongAgo() throws Exception {
        var again = endedLongAgo("deployment-1+stage-1");
        var beside = endedLongAgo("deployment-1+stage-2");
        var over = endedLongAgo("deployment-2+stage-1");
        var slow = new SlowDisk();
        try (var agent = new AgentClient("localhost:1", "")) {
            var calls = calls(slow, agent);
            calls.execute(STAGE, input(), new Caller(new FakeCall(), true));
            slow.asked.await();

            calls.sweep();

            assertThat(again).exists();
            assertThat(beside).exists();
            assertThat(over).doesNotExist();
            assertThat(over.resolveSibling("deployment-2+stage-1.ended")).doesNotExist();
            calls.stop(KEY, "the test is over");
            calls.sweep();
            assertThat(again).as("it has just ended again").exists();
            assertThat(beside).doesNotExist();
        }
    }

    private Path endedLongAgo(String stage) throws Exception {
        var folder = Files.createDirectories(home.resolve("own").resolve(stage));
        var mark = Files.writeString(folder.resolveSibling(stage + ".ended"), "");
        Files.setLastModifiedTime(mark, FileTime.from(Instant.EPOCH));
        return folder;
    }

    private StageCalls calls(StateDirectory.Disk disk, AgentClient agent) {
        var served =
                new Served(
                        StagePlugin.named("test", STAGE),
                        "own",
                        List.of(),
                        _ -> {
                            throw new AssertionError("nothing is asked around it");
                        });
        var state = new StateDirectory(home.resolve("own"), disk);
        return new StageCalls(new StageEdge(served, state, agent, InstantSource.system()), _ -> {});
    }

    private static ExecutePluginInput input() {
        return ExecutePluginInput.newBuilder()
                .setDeployment(Deployment.newBuilder().setId(KEY.deployment()))
                .setStage(PipelineStage.newBuilder().setId(KEY.stage()).setName("TEST"))
                .build();
    }

    /// Takes its time over the first folder, until it is interrupted as a channel is.
    private static final class SlowDisk implements StateDirectory.Disk {
        private final CountDownLatch asked = new CountDownLatch(1);

        @Override
        public void sync(Path dir) throws ClosedByInterruptException {
            if (asked.getCount() == 0) return;
            asked.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ClosedByInterruptException();
            }
        }
    }

    /// The agent's end of a call that is never broken off.
    private static final class FakeCall extends ServerCallStreamObserver<ExecuteStageResponse> {
        private final LinkedBlockingQueue<ExecuteStageResponse> answers =
                new LinkedBlockingQueue<>();

        @Override
        public void onNext(ExecuteStageResponse answer) {
            answers.add(answer);
        }

        @Override
        public void onError(Throwable refusal) {
            throw new AssertionError(refusal);
        }

        @Override
        public void onCompleted() {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}
    }
}
