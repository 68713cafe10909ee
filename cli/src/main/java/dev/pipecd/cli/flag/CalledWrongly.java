// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.flag;

/// A mistake in the flags that shows only when they are seen together.
public final class CalledWrongly extends RuntimeException {
    public CalledWrongly(String message) {
        super(message);
    }
}
