// SPDX-License-Identifier: Apache-2.0
package bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Does the same for many at once, a virtual thread each.
final class InParallel {
    private InParallel() {}

    @FunctionalInterface
    interface Job<T> {
        T run(int index) throws Exception;
    }

    static <T> List<T> all(int count, Job<T> job) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<Future<T>>();
            for (var index = 0; index < count; index++) {
                var at = index;
                futures.add(threads.submit(() -> job.run(at)));
            }
            var results = new ArrayList<T>();
            for (var future : futures) results.add(future.get());
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
