// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.show;

import java.time.Duration;

/// Lets time pass between two looks.
@FunctionalInterface
public interface Sleeper {
    void sleep(Duration duration) throws InterruptedException;
}
