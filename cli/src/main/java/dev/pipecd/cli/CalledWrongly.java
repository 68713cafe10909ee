// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

/// A mistake in the flags that shows only when they are seen together.
final class CalledWrongly extends RuntimeException {
    CalledWrongly(String message) {
        super(message);
    }
}
