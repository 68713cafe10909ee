// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config;

import static java.util.stream.Collectors.joining;

import dev.pipecd.domain.Problem;
import java.util.List;
import java.util.stream.Stream;

/// A document that cannot be used, with every mistake in it, so that it is corrected in one go. The
/// warnings are told beside them: a mistyped key is only one of those, and the cause that another
/// is missing.
public final class ConfigException extends RuntimeException {
    private final transient List<Mistake> mistakes;
    private final transient List<Warning> warnings;

    public ConfigException(List<Mistake> mistakes, List<Warning> warnings) {
        super(
                Stream.concat(
                                mistakes.stream().map(Mistake::toString),
                                warnings.stream().map(warning -> "warning: " + warning))
                        .collect(joining("\n")));
        this.mistakes = List.copyOf(mistakes);
        this.warnings = List.copyOf(warnings);
    }

    public List<Mistake> mistakes() {
        return mistakes;
    }

    public List<Warning> warnings() {
        return warnings;
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
