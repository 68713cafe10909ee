// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.audit;

import java.util.List;

/// The trail, read for people.
public interface AuditStore {
    /// Newest first, those before the place `before` of the trail.
    List<AuditEntry> list(AuditFilter filter, long before, int limit);
}
