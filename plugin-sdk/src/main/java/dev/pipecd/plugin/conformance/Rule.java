// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.conformance;

import java.util.Locale;

/// What agents rely on, in the order it is looked at.
public enum Rule {
    START("It starts by the contract and tells its stages on the port it was given."),
    PROTOCOL("It answers every call as the protocol has it, and refuses what breaks its rules."),
    STAGE("A stage ends with a final status; its lines are whole and its log is closed."),
    IDEMPOTENCY("A stage that is called again ends as before; a plan made again is the same."),
    DEADLINE("Other calls are answered in time while a stage runs."),
    CANCELLATION("A stage whose call is cancelled ends."),
    CRASH("After a kill -9 it starts again, and a stage that was running carries on."),
    BIG_PAYLOAD("A request of 3 MiB is taken; one that is too large harms nobody."),
    UNKNOWN_FIELDS("What a newer agent adds to messages and configuration is passed over."),
    END("SIGTERM ends it.");

    private final String promise;

    Rule(String promise) {
        this.promise = promise;
    }

    String promise() {
        return promise;
    }

    String told() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
