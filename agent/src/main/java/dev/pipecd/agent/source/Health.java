// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;

/// How the last look at a repository went.
public sealed interface Health {
    boolean ok();

    String detail();

    String advice();

    /// Whether the next look may find a fault gone although nobody changed a file.
    static boolean passes(Problem problem) {
        return switch (problem.code()) {
            case REPOSITORY_UNREACHABLE, STORE_UNAVAILABLE -> true;
            default -> false;
        };
    }

    /// Whether it says something of the server, and not of what lies on our own disk.
    static boolean isAway(Problem problem) {
        return problem.code() == Problem.Code.REPOSITORY_UNREACHABLE
                && Stream.<Throwable>iterate(problem, Objects::nonNull, Throwable::getCause)
                        .noneMatch(IOException.class::isInstance);
    }

    /// Nobody has looked yet.
    record NotFetchedYet() implements Health {
        @Override
        public boolean ok() {
            return true;
        }

        @Override
        public String detail() {
            return "not fetched yet";
        }

        @Override
        public String advice() {
            return "";
        }
    }

    /// The remote answered.
    record Fetched(Commit head, Instant at) implements Health {
        @Override
        public boolean ok() {
            return true;
        }

        @Override
        public String detail() {
            return "%s at %s, fetched %s".formatted(head.branch(), head.hash().substring(0, 8), at);
        }

        @Override
        public String advice() {
            return "";
        }
    }

    /// The remote cannot be used since that moment.
    record Failing(Problem problem, Instant since) implements Health {
        @Override
        public boolean ok() {
            return false;
        }

        @Override
        public String detail() {
            return "%s, since %s".formatted(problem.message(), since);
        }

        @Override
        public String advice() {
            return problem.advice();
        }
    }
}
