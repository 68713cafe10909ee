// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.ProjectId;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Which sessions were ended before their time; the trail tells of logins and logouts.
public interface SessionStore {
    void opened(ProjectId project, String person, String how);

    void end(ProjectId project, String person, End end);

    /// Those of the ids that were ended, and until when that is remembered.
    Map<String, Instant> ended(List<String> ids);

    /// @param id of a session, from which its token cannot be made again, or of many
    /// @param expires when nobody needs to know it any more
    /// @param how what the trail tells of it; nothing when empty
    record End(String id, Instant expires, String how) {}
}
