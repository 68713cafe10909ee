// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static java.util.stream.Collectors.joining;

import dev.pipecd.domain.Problem;
import java.util.List;

/// A document that cannot be used, with every mistake in it, so that it is corrected in one go.
public final class ConfigException extends RuntimeException {
    private final transient List<Mistake> mistakes;

    public ConfigException(List<Mistake> mistakes) {
        super(mistakes.stream().map(Mistake::toString).collect(joining("\n")));
        this.mistakes = List.copyOf(mistakes);
    }

    public List<Mistake> mistakes() {
        return mistakes;
    }

    /// For callers that answer with problems.
    public Problem problem() {
        return new Problem(
                Problem.Code.CONFIG_INVALID,
                String.valueOf(getMessage()),
                "Correct the lines named and try again.",
                this);
    }
}
