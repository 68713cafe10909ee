// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import dev.pipecd.domain.ProjectId;
import java.time.Instant;

/// Which sessions were ended before their time; the trail tells of logins and logouts.
public interface SessionStore {
    void opened(ProjectId project, String person, String how);

    /// @param id of the session, from which its token cannot be made again
    void end(ProjectId project, String person, String id, Instant expires);

    boolean ended(String id);
}
