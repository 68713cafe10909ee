// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Time that passes only when a test says so.
public final class TestClock implements InstantSource {
    private volatile Instant now;

    public TestClock(Instant start) {
        now = start;
    }

    public void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Instant instant() {
        return now;
    }
}
