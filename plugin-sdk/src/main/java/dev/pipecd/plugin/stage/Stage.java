// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/// A step of a pipeline: its name, the options people write under `with`, and the function that
/// does the work.
public record Stage<O>(
        String name,
        Class<O> options,
        Work<O> work,
        List<Rollback<O>> rollbacks,
        boolean approvable,
        Function<O, List<String>> approvers,
        Reads reads) {
    public Stage {
        rollbacks = List.copyOf(rollbacks);
    }

    public static <O> Stage<O> of(String name, Class<O> options, Work<O> work) {
        return new Stage<>(name, options, work, List.of(), false, _ -> List.of(), Reads.EVERYTHING);
    }

    /// The same stage, undone by `undo` (which gets the same options) in pipelines whose options
    /// ask for it.
    public Stage<O> undoneBy(Stage<O> undo, Predicate<O> when) {
        return new Stage<>(
                name,
                options,
                work,
                List.of(new Rollback<>(undo, when)),
                approvable,
                approvers,
                reads);
    }

    /// The same stage, offering people an Approve button; only those named may press it, or whoever
    /// may approve in the project when nobody is named.
    public Stage<O> approvedBy(Function<O, List<String>> people) {
        return new Stage<>(name, options, work, rollbacks, true, people, reads);
    }

    /// The same stage, which sets out sooner because less is made ready for it.
    public Stage<O> reading(Reads part) {
        return new Stage<>(name, options, work, rollbacks, approvable, approvers, part);
    }

    /// May be called again after a restart and must then carry on. An interrupt is the stop button.
    @FunctionalInterface
    public interface Work<O> {
        StageOutcome run(StageRun<O> run) throws InterruptedException;
    }

    public record Rollback<O>(Stage<O> stage, Predicate<O> when) {}
}
