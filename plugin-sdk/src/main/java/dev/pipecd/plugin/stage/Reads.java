// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// What of an application's sources a stage reads. What it does not read is not laid out for it,
/// and asking for it all the same is an error.
public enum Reads {
    EVERYTHING,
    /// The commit being deployed, and not what runs now.
    TARGET,
    NOTHING
}
