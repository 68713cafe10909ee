// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

import java.time.Duration;
import java.time.Instant;

/// Where a stage stands. `on` is the whole diagram: one arrow a line.
public sealed interface StageState {
    record NotStarted() implements StageState {}

    /// It could start, and something outside says not yet. On the wire: NOT_STARTED_YET with the
    /// reason.
    record Waiting(String reason, Instant until) implements StageState {}

    record Running(Instant startedAt, Instant deadline) implements StageState {}

    /// It was told to stop and has until `until` to do so; afterwards it counts as stopped.
    record Stopping(Instant startedAt, Cause cause, Instant until) implements StageState {}

    record Done(StageResult result) implements StageState {}

    default StageState on(StageEvent event) {
        return switch (new Step(this, event)) {
            case Step(NotStarted _, StageEvent.HeldBack(var reason, var until)) ->
                    new Waiting(reason, until);
            case Step(NotStarted _, StageEvent.Started(var at, var deadline)) ->
                    new Running(at, deadline);
            case Step(NotStarted _, StageEvent.Ended(var result))
                    when result.possibleBeforeStart() ->
                    new Done(result);
            case Step(Waiting _, StageEvent.HeldBack(var reason, var until)) ->
                    new Waiting(reason, until);
            case Step(Waiting _, StageEvent.Started(var at, var deadline)) ->
                    new Running(at, deadline);
            case Step(Waiting _, StageEvent.Ended(var result)) when result.possibleBeforeStart() ->
                    new Done(result);
            case Step(Running(var at, _), StageEvent.StopOrdered(var cause, var until)) ->
                    new Stopping(at, cause, until);
            case Step(Running _, StageEvent.Ended(var result)) -> new Done(result);
            case Step(Stopping _, StageEvent.Ended(var result)) -> new Done(result);
            case Step(var from, var refused) -> throw new IllegalTransition(from, refused);
        };
    }

    /// With its deadline moved. What a gate said is a time of day, and stays.
    default StageState later(Duration by) {
        return switch (this) {
            case Running(var at, var deadline) -> new Running(at, deadline.plus(by));
            case Stopping(var at, var cause, var until) -> new Stopping(at, cause, until.plus(by));
            case NotStarted(), Waiting _, Done _ -> this;
        };
    }

    default boolean ended() {
        return this instanceof Done;
    }

    /// Begun and not ended: somebody may still be changing a target.
    default boolean active() {
        return this instanceof Running || this instanceof Stopping;
    }

    record Step(StageState from, StageEvent event) {}
}
