// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import java.io.IOException;

/// One thing to look at.
public record Check(String name, Look look) {
    /// Throws a `Problem` for what is wrong with it.
    @FunctionalInterface
    public interface Look {
        Finding now() throws IOException, InterruptedException;
    }
}
