// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import java.time.Duration;

/// How much trouble is taken over a receiver.
///
/// @param queue how many notifications wait for one receiver; the oldest makes room
/// @param call the time one attempt may take, answer included
/// @param firstPause before the second attempt; doubles up to `longestPause`
/// @param longestRest how long a receiver may ask to be left alone
/// @param oldest a notification older than this is given up
/// @param flush the time there is when the agent stops, for all receivers together
record Patience(
        int queue,
        Duration call,
        Duration firstPause,
        Duration longestPause,
        Duration longestRest,
        Duration oldest,
        Duration flush) {
    static final Patience USUAL =
            new Patience(
                    1000,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(10),
                    Duration.ofSeconds(3));
}
