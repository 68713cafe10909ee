// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

/// How a deployment goes about it, and why, in words for people.
public record Strategy(Kind kind, String summary) {
    public enum Kind {
        QUICK_SYNC,
        PIPELINE
    }

    public static Strategy quickSync(String summary) {
        return new Strategy(Kind.QUICK_SYNC, summary);
    }

    public static Strategy pipeline(String summary) {
        return new Strategy(Kind.PIPELINE, summary);
    }
}
