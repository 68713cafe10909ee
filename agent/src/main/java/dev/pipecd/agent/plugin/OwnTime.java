// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import java.time.Duration;

/// The time a plugin has to answer one question: what the agent spent on a tool for it meanwhile is
/// not its own.
final class OwnTime {
    /// An installation that takes as long as it may is waited for, not one after another.
    private static final int MOST_ASKED = 25;

    /// What it takes to see that a tool is there already changes nothing.
    private static final int NOTICED = 10;

    private final Duration limit;
    private Duration before = Duration.ZERO;
    private Duration spent = Duration.ZERO;
    private int asked;

    OwnTime(Duration limit) {
        this.limit = limit;
    }

    /// It is asked.
    ///
    /// @param helped how long the agent did something for its process so far
    void begins(Duration helped) {
        before = helped;
    }

    /// Whether one that gave no answer within the limit is to be asked again, since it had less
    /// than that for itself: now it finds its tool there.
    boolean wasShort(Duration helped) {
        var forIt = helped.minus(before);
        spent = spent.plus(limit).minus(forIt);
        asked++;
        return forIt.multipliedBy(NOTICED).compareTo(limit) >= 0
                && spent.compareTo(limit) < 0
                && asked < MOST_ASKED;
    }
}
