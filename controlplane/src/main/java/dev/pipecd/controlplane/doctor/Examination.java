// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import dev.pipecd.controlplane.doctor.Finding.State;
import dev.pipecd.domain.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// What all looks told, in the order of the checks. They run side by side, and none is waited for
/// longer than the limit.
public record Examination(List<Result> results) {
    public Examination {
        results = List.copyOf(results);
    }

    public static Examination of(List<Check> checks, Duration limit) throws InterruptedException {
        var started = System.nanoTime();
        var looks = new ArrayList<FutureTask<Result>>();
        for (var check : checks) {
            var look = new FutureTask<>(() -> timed(check));
            Thread.ofVirtual().name("check-" + check.name()).start(look);
            looks.add(look);
        }
        var results = new ArrayList<Result>();
        for (var i = 0; i < checks.size(); i++) {
            var left = limit.minusNanos(System.nanoTime() - started);
            results.add(result(checks.get(i), looks.get(i), left, limit));
        }
        return new Examination(results);
    }

    private static Result timed(Check check) throws Exception {
        var started = System.nanoTime();
        var finding = check.look().now();
        return new Result(check.name(), finding, Duration.ofNanos(System.nanoTime() - started));
    }

    private static Result result(
            Check check, FutureTask<Result> look, Duration left, Duration limit)
            throws InterruptedException {
        try {
            return look.get(Math.max(1, left.toMillis()), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            look.cancel(true);
            var found = "no answer within %d s".formatted(limit.toSeconds());
            return new Result(
                    check.name(),
                    Finding.failed(
                            found,
                            "Something on the way takes connections and does not answer: look at"
                                    + " firewalls and load, or allow more time with --timeout."),
                    limit);
        } catch (ExecutionException e) {
            return new Result(check.name(), broken(e), limit.minus(left));
        }
    }

    private static Finding broken(ExecutionException e) {
        return e.getCause() instanceof Problem problem
                ? Finding.of(problem)
                : Finding.failed(
                        "the look itself failed: " + e.getCause(),
                        "Report this with the line above; it is a fault of PipeCD.");
    }

    public long count(State state) {
        return results.stream().filter(r -> r.finding().state() == state).count();
    }

    /// @param took how long the look took
    public record Result(String name, Finding finding, Duration took) {}
}
