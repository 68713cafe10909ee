// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.change.Question;
import dev.pipecd.controlplane.store.engine.Batch;
import dev.pipecd.controlplane.store.engine.Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who commits, and with whom.
final class WriterTest {
    private final CommitsFake commits = new CommitsFake();
    private final Writer writer = new Writer(commits);

    @AfterEach
    void close() {
        writer.close();
    }

    @Test
    void whoFindsNobodyBeforeThemCommitsOnTheirOwnThread() {
        var by = writer.write(Optional.empty(), _ -> Thread.currentThread());

        assertThat(by).isSameAs(Thread.currentThread());
    }

    @Test
    void aVirtualThreadNeverTouchesTheConnectionWhichItsInterruptWouldClose() throws Exception {
        var by = new ArrayList<Thread>();

        var caller =
                Thread.ofVirtual()
                        .start(() ->
                                by.add(
                                        writer.write(
                                                Optional.empty(), _ -> Thread.currentThread())));
        caller.join();

        assertThat(by).extracting(Thread::getName).containsExactly("store-writer");
    }

    @Test
    void whoComesDuringACommitIsCommittedTogetherAfterIt() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var first = writes(begun, goOn);
        var others = new ArrayList<Thread>();
        for (var n = 0; n < 3; n++)
            others.add(Thread.ofPlatform().start(() -> writer.write(Optional.empty(), _ -> true)));
        for (var other : others)
            while (other.getState() != Thread.State.WAITING) Thread.onSpinWait();

        goOn.countDown();
        first.join();
        for (var other : others) other.join();

        assertThat(commits.sizes).containsExactly(1, 3);
    }

    @Test
    void whatIsDecidedInACommitIsNotDecidedUponWhatItsCallerSawBefore() {
        var looks = new AtomicInteger();
        var question = new Question(() -> 0, true);

        question.during(() -> {
            Question.once(looks::incrementAndGet);
            var _ =
                    writer.write(
                            Optional.empty(),
                            _ -> {
                                assertThat(Question.isTelling()).isFalse();
                                Question.once(looks::incrementAndGet);
                                Question.once(looks::incrementAndGet);
                                return true;
                            });
        });

        assertThat(looks).hasValue(3);
    }

    @Test
    void aWriteWithinACommitIsRefusedForItWouldWaitForItself() {
        assertThatThrownBy(() ->
                        writer.write(
                                Optional.empty(), _ -> writer.write(Optional.empty(), _ -> true)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("write: within a commit (expected: after it)");

        assertThat(writer.<Boolean>write(Optional.empty(), _ -> true)).isTrue();
    }

    @Test
    void closingWaitsForWhoCommitsOnTheirOwnThread() throws Exception {
        var begun = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        var caller = writes(begun, goOn);

        var closing = Thread.ofPlatform().start(writer::close);
        while (closing.getState() != Thread.State.WAITING) Thread.onSpinWait();
        goOn.countDown();
        caller.join();
        closing.join();

        assertThat(commits.events).containsExactly("committed 1", "closed");
    }

    /// Comes back when it has begun; it ends when it is let go.
    private Thread writes(CountDownLatch begun, CountDownLatch goOn) throws InterruptedException {
        var thread =
                Thread.ofPlatform()
                        .start(() ->
                                writer.write(
                                        Optional.empty(),
                                        _ -> {
                                            begun.countDown();
                                            return waitedFor(goOn);
                                        }));
        begun.await();
        return thread;
    }

    private static boolean waitedFor(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class CommitsFake implements Writer.Commits {
        private final List<Integer> sizes = new ArrayList<>();
        private final List<String> events = new ArrayList<>();

        @Override
        public List<Runnable> commit(List<Writer.Waiting<?>> units) {
            for (var unit : units) {
                var batch =
                        new Batch(
                                unasked(Connection.class),
                                new HashMap<>(),
                                unasked(Dialect.class),
                                false);
                var _ = unit.run(new Transaction(batch));
            }
            sizes.add(units.size());
            events.add("committed " + units.size());
            return List.of();
        }

        private static <T> T unasked(Class<T> type) {
            return type.cast(
                    Proxy.newProxyInstance(
                            type.getClassLoader(),
                            new Class<?>[] {type},
                            (_, _, _) -> {
                                throw new UnsupportedOperationException();
                            }));
        }

        @Override
        public void close() {
            events.add("closed");
        }
    }
}
