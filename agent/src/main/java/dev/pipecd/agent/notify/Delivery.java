// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings notifications to one receiver, in order, on a thread of its own. Whoever adds one never
/// waits; when too many wait, the oldest makes room.
final class Delivery {
    private static final Logger log = LoggerFactory.getLogger(Delivery.class);
    private static final int MOST_OF_ANSWER = 64 * 1024;

    /// Of all that wait: a deployment may carry a megabyte of notes with it.
    private static final long MOST_WEIGHT = 8 << 20;

    private final String receiver;
    private final Post post;
    private final HttpClient client;
    private final ProxyByEnvironment proxies;
    private final Patience patience;
    private final InstantSource clock;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final Thread thread;
    private long weight;
    private boolean closing;
    private long heldUntil = System.nanoTime();
    private boolean overflowing;
    private long sent;
    private long dropped;
    private String told = "";

    /// @param since on the clock that never jumps
    private record Waiting(Notice notice, long since, int weight) {}

    Delivery(
            String receiver,
            Post post,
            HttpClient client,
            ProxyByEnvironment proxies,
            Patience patience,
            InstantSource clock) {
        this.receiver = receiver;
        this.post = post;
        this.client = client;
        this.proxies = proxies;
        this.patience = patience;
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("notify-" + receiver).unstarted(this::work);
    }

    Delivery start() {
        thread.start();
        return this;
    }

    void add(Notice notice) {
        if (put(notice))
            log.warn(
                    "receiver {}: {} notifications wait; from now on the oldest makes room for each new one",
                    receiver,
                    waiting());
    }

    /// Whether this is the first that had to push another out.
    private synchronized boolean put(Notice notice) {
        var next = new Waiting(notice, System.nanoTime(), notice.weight());
        var full = false;
        while (!hasRoomFor(next)) {
            weight -= queue.remove().weight;
            dropped++;
            full = true;
        }
        queue.add(next);
        weight += next.weight;
        notifyAll();
        var first = full && !overflowing;
        overflowing |= full;
        return first;
    }

    private boolean hasRoomFor(Waiting next) {
        return queue.isEmpty()
                || (queue.size() < patience.queue() && weight + next.weight <= MOST_WEIGHT);
    }

    synchronized int waiting() {
        return queue.size();
    }

    synchronized long sent() {
        return sent;
    }

    synchronized long dropped() {
        return dropped;
    }

    private void work() {
        try {
            for (var next = take(); next.isPresent(); next = take()) deliver(next.get());
        } catch (InterruptedException stopped) {
            // The agent has no more time for it.
        }
    }

    private synchronized Optional<Waiting> take() throws InterruptedException {
        while (queue.isEmpty() && !closing) wait();
        var next = Optional.ofNullable(queue.poll());
        next.ifPresent(taken -> weight -= taken.weight);
        return next;
    }

    private void deliver(Waiting waiting) throws InterruptedException {
        var pause = patience.firstPause();
        var delivered = false;
        try {
            while (true) {
                rest();
                switch (attempt(waiting.notice)) {
                    case Verdict.Delivered() -> {
                        delivered = true;
                        worksAgain();
                        return;
                    }
                    case Verdict.Refused(var why) -> {
                        say(why + ", and would again", "Check the receiver in `notifications`.");
                        return;
                    }
                    case Verdict.TryAgain(var why, var after) -> {
                        say(why, "It is tried again; what is too old by then is dropped.");
                        hold(longer(pause, shorter(after, patience.longestRest())));
                        if (lastTry() || isOld(waiting)) return;
                        pause = shorter(pause.multipliedBy(2), patience.longestPause());
                    }
                }
            }
        } finally {
            count(delivered);
        }
    }

    private synchronized void count(boolean delivered) {
        if (delivered) {
            sent++;
            overflowing = false;
        } else dropped++;
    }

    private boolean isOld(Waiting waiting) {
        return System.nanoTime() - waiting.since > patience.oldest().toNanos();
    }

    private synchronized boolean lastTry() {
        return closing;
    }

    private synchronized void hold(Duration pause) {
        heldUntil = System.nanoTime() + pause.toNanos();
    }

    /// What the receiver asked for holds for the next notification too. A stop ends every rest.
    private synchronized void rest() throws InterruptedException {
        for (var left = heldUntil - System.nanoTime();
                left > 0 && !closing;
                left = heldUntil - System.nanoTime()) wait(left / 1_000_000 + 1);
    }

    /// On a thread of its own: of a name that is not found and an answer that trickles, no other
    /// limit of Java's knows the end.
    private Verdict attempt(Notice notice) throws InterruptedException {
        var came =
                new AtomicReference<Verdict>(
                        new Verdict.TryAgain(
                                "no whole answer within %d ms"
                                        .formatted(patience.call().toMillis())));
        var call = Thread.ofVirtual().name("notify-call").start(() -> came.set(call(notice)));
        try {
            var _ = call.join(patience.call());
            return came.get();
        } finally {
            call.interrupt();
        }
    }

    /// No message of an exception is repeated: it may quote the address.
    private Verdict call(Notice notice) {
        try {
            var request = proxies.request(post.request(notice).timeout(patience.call()));
            var answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (var body = answer.body()) {
                return post.judge(
                        answer.statusCode(),
                        answer.headers(),
                        body.readNBytes(MOST_OF_ANSWER),
                        clock.instant());
            }
        } catch (Problem problem) {
            return new Verdict.TryAgain(problem.told());
        } catch (IOException e) {
            return new Verdict.TryAgain("it cannot be reached: " + e.getClass().getSimpleName());
        } catch (InterruptedException late) {
            return new Verdict.TryAgain("broken off");
        } catch (RuntimeException e) {
            return new Verdict.Refused("a fault of the agent: " + e.getClass().getSimpleName());
        }
    }

    /// What does not change is said once.
    private void say(String why, String advice) {
        if (!why.equals(told))
            log.warn(
                    "receiver {}: {}. {} waiting={} dropped={}",
                    receiver,
                    why.replaceFirst("\\.$", ""),
                    advice,
                    waiting(),
                    dropped());
        told = why;
    }

    private void worksAgain() {
        if (!told.isEmpty()) log.info("receiver {}: works again; dropped={}", receiver, dropped());
        told = "";
    }

    /// The agent stops: what waits is tried once more.
    synchronized void finish() {
        closing = true;
        notifyAll();
    }

    /// Gives up what is not sent by then.
    void end(Duration patienceLeft) throws InterruptedException {
        if (!thread.join(patienceLeft.isNegative() ? Duration.ZERO : patienceLeft)) {
            thread.interrupt();
            thread.join();
        }
        int left;
        synchronized (this) {
            left = queue.size();
            dropped += left;
            queue.clear();
            weight = 0;
        }
        if (left > 0)
            log.warn(
                    "receiver {}: {} notification(s) were not sent before the stop",
                    receiver,
                    left);
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
