// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

/// Whether it is this process that does the chores. Long work asks before each part of it.
@FunctionalInterface
public interface Turn {
    /// Of a process that is alone.
    Turn ALWAYS = () -> true;

    boolean mine();

    /// For a walk that can be ended from within only.
    default void require() {
        if (!mine()) throw new Over();
    }

    /// It is another's turn, or nobody's: what was being done is left where it is.
    final class Over extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Over() {
            super("the turn is over");
        }
    }
}
