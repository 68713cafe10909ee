// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.domain.deployment;

/// An event that has no arrow from where things stand. Nothing was changed.
public final class IllegalTransition extends IllegalStateException {
    public IllegalTransition(Object from, Object event) {
        super(
                "event: %s in state %s (expected: an arrow of the diagram)"
                        .formatted(name(event), name(from)));
    }

    private static String name(Object o) {
        return o.getClass().getSimpleName();
    }
}
