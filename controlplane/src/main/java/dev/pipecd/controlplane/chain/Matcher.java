// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.chain;

import dev.pipecd.controlplane.application.ApplicationFilter;
import dev.pipecd.controlplane.application.ApplicationFilter.Activity;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationKind;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Which applications make up a block: all that is given must fit.
///
/// @param kind the name of a kind, or empty
public record Matcher(String name, String kind, Map<String, String> labels) {
    public Matcher {
        labels = Map.copyOf(labels);
        if (name.isEmpty() && kind.isEmpty() && labels.isEmpty())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "matcher: empty (expected: a name, a kind or labels)",
                    "Say which applications follow; an empty matcher would deploy them all.");
    }

    ApplicationFilter in(ProjectId project) {
        return new ApplicationFilter(
                project, Activity.ENABLED, kinds(), List.of(), name, "", labels);
    }

    private List<ApplicationKind> kinds() {
        if (kind.isEmpty()) return List.of();
        return Arrays.stream(ApplicationKind.values())
                .filter(k -> k.name().equals(kind))
                .findFirst()
                .map(List::of)
                .orElseThrow(() ->
                        new Problem(
                                Problem.Code.REQUEST_INVALID,
                                "kind: \"%s\" (expected: the name of a kind of application)"
                                        .formatted(kind),
                                "Correct the matcher in the application's configuration."));
    }
}
