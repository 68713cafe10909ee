// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

/// What a run directory shows of its script.
sealed interface Sight {
    record NotBegun() implements Sight {}

    record Going() implements Sight {}

    record Ended(int code) implements Sight {}

    /// By order: before it began or while it ran; what is left of it may still have to be ended.
    record Stopped() implements Sight {}

    /// It was begun, is gone, and nobody wrote down how it ended.
    record Lost() implements Sight {}
}
