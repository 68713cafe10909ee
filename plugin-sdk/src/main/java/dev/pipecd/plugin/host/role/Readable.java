// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host.role;

import dev.pipecd.domain.Problem;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;

/// Holds a stage to what it says it reads, under every agent and in the test kit alike: one that
/// asks for more must not work on a first deployment, or with an agent that lays out everything,
/// and break later.
public record Readable(String stage, Reads reads) {
    public static Readable of(Stage<?> stage) {
        return new Readable(stage.name(), stage.reads());
    }

    public void requireTarget() {
        if (reads == Reads.NOTHING) throw unread("source");
    }

    public void requireRunning() {
        if (reads != Reads.EVERYTHING) throw unread("running source");
    }

    private Problem unread(String what) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "%s: asked for by %s, which says it reads %s (expected: a stage that says by `reading` all it reads)"
                        .formatted(what, stage, reads),
                "This is a fault of the plugin: tell its author.");
    }
}
