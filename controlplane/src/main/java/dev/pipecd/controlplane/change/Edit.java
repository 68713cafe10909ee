// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

/// What is to become of a stored thing, decided by looking at it as it stands.
public sealed interface Edit<T> {
    /// It is replaced, and the trail tells what happened.
    record Changed<T>(T value, String what) implements Edit<T> {}

    /// It is replaced, but nothing happened that anybody would want to hear of; other servers may
    /// see it a minute late.
    record Refreshed<T>(T value) implements Edit<T> {}

    /// It stays as it is: the report is a repeat.
    record Unchanged<T>() implements Edit<T> {}
}
