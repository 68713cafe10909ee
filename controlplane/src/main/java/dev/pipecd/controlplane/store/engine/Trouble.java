// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

/// What an error of the database means for who met it.
public enum Trouble {
    /// The connection is gone, and with it whatever was not committed.
    LOST,
    /// Others were in the way; the same work may succeed the next time.
    AGAIN,
    /// Somebody has put a row under that key in the meantime.
    TAKEN,
    /// The document does not fit the table.
    UNFIT,
    /// A trigger of its operator's forbids it, and says why.
    FORBIDDEN,
    /// It would fail again.
    LASTING
}
