// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.change;

import dev.pipecd.domain.ProjectId;
import java.time.Instant;

/// One thing that changed. Who receives it reads the store again: a lost one costs time, never
/// truth.
///
/// @param cursor its place in the trail; a hint that is not kept (a log line) carries the latest
///   place
/// @param id of what changed; for a stage log the deployment's
/// @param stage of a stage log, otherwise empty
/// @param piped the agent it concerns, or empty
public record Change(
        long cursor,
        ProjectId project,
        Kind kind,
        String id,
        String stage,
        String piped,
        Deed deed) {
    public String actor() {
        return deed.actor();
    }

    public String what() {
        return deed.what();
    }

    public Instant at() {
        return deed.at();
    }

    /// Who did it, what it was in a few words, and when.
    public record Deed(String actor, String what, Instant at) {}

    public enum Kind {
        APPLICATION,
        DEPLOYMENT,
        STAGE_LOG,
        PIPED,
        COMMAND,
        API_KEY,
        PROJECT,
        SESSION,
        EVENT,
        DEPLOYMENT_TRACE,
        DEPLOYMENT_CHAIN,
        LIVE_STATE,
        LIVE_STATE_WANTED,
        REPOSITORY
    }
}
