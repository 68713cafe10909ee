// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.doctor;

import dev.pipecd.controlplane.store.engine.DatabaseLook;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// What is asked of a database: whether it lets us in, and whether its schema is ours.
public record DatabaseLooks(Supplier<DatabaseLook> look) {
    public Finding database() {
        var seen = look.get();
        return Finding.ok(seen.what() + (seen.inUse() ? ", in use by the server that runs" : ""));
    }

    public Finding schema() {
        var seen = look.get();
        if (seen.schema() > seen.known())
            return Finding.failed(
                    "schema %d (expected: at most %d)".formatted(seen.schema(), seen.known()),
                    "It was written by a newer server; start that one.");
        if (!seen.missing().isEmpty())
            return Finding.failed(
                    "schema %d, and a user without %s (expected: schema %d, or a user who may make it)"
                            .formatted(
                                    seen.schema(), String.join(", ", seen.missing()), seen.known()),
                    "Have the owner of the database GRANT ALL on it to the user; once the schema is made, SELECT, INSERT, UPDATE and DELETE will do.");
        if (seen.schema() == seen.known()) return Finding.ok("schema " + seen.schema());
        if (seen.schema() > 0)
            return Finding.ok(
                    "schema %d; the next start brings it to %d, after which older servers cannot use it"
                            .formatted(seen.schema(), seen.known()));
        return Finding.ok(
                seen.foreign()
                        ? "tables of the public server; the next start takes them over as they are"
                        : "none yet; the next start makes it");
    }

    public Optional<Duration> ahead() {
        return look.get().ahead();
    }
}
