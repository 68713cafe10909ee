// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.ops;

/// Whether it is this process that does the chores. Long work asks before each part of it.
@FunctionalInterface
public interface Turn {
    /// Of a process that is alone.
    Turn ALWAYS = () -> true;

    boolean mine();
}
