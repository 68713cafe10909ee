// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import dev.pipecd.cli.follow.Outcome;
import dev.pipecd.domain.Problem;

/// What did not become a deployment.
///
/// @param of the application or the event
/// @param code how pipectl would exit if nothing else were delivered
record Failure(String of, String text, int code) {
    static Failure refused(String of, Problem problem) {
        return new Failure(of, problem.told(), Outcome.NOT_ORDERED);
    }

    static Failure late(String of, Problem problem) {
        return new Failure(of, problem.told(), Outcome.TIME_IS_UP);
    }
}
