// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import dev.pipecd.domain.Problem;

/// What one look at one thing told.
///
/// @param advice what to do; empty when there is nothing to do
public record Finding(State state, String found, String advice) {
    public enum State {
        OK,
        /// A server starts with it; somebody should know.
        WARNING,
        FAILED,
        /// It could not be looked at, because of something told elsewhere or not asked for.
        SKIPPED
    }

    public static Finding ok(String found) {
        return new Finding(State.OK, found, "");
    }

    public static Finding warning(String found, String advice) {
        return new Finding(State.WARNING, found, advice);
    }

    public static Finding failed(String found, String advice) {
        return new Finding(State.FAILED, found, advice);
    }

    public static Finding skipped(String found) {
        return new Finding(State.SKIPPED, found, "");
    }

    static Finding of(Problem problem) {
        return failed(problem.message(), problem.advice());
    }
}
