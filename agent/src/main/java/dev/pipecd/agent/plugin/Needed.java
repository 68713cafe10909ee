// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import dev.pipecd.wire.plugin.supervision.SourceUse;

/// What of the sources is laid out for a stage, or for a plan.
public record Needed(boolean target, boolean running) {
    public static final Needed ALL = new Needed(true, true);
    public static final Needed NOTHING = new Needed(false, false);

    public Needed and(Needed other) {
        return new Needed(target || other.target, running || other.running);
    }

    /// Whether whoever needs the other finds it in this.
    public boolean covers(Needed other) {
        return (target || !other.target) && (running || !other.running);
    }

    static Needed by(SourceUse use) {
        return switch (use) {
            case SOURCE_USE_TARGET -> new Needed(true, false);
            case SOURCE_USE_NOTHING -> NOTHING;
            // One that we do not know yet may be anything.
            case SOURCE_USE_EVERYTHING, UNRECOGNIZED -> ALL;
        };
    }
}
