// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.audit;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.paging.Page;
import dev.pipecd.domain.Problem;

/// What was done in a project, for those who may change it.
public final class AuditLog {
    private static final int ORDINARY_PAGE = 50;
    private static final int LARGEST_PAGE = 500;

    private final AuditStore store;

    public AuditLog(AuditStore store) {
        this.store = store;
    }

    /// The cursor is empty when there is no more.
    public Page<AuditEntry> page(Caller caller, AuditFilter filter, String cursor, int size) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        if (!filter.project().equals(caller.project()))
            throw new IllegalArgumentException("filter: of another project than the caller");
        var limit = size <= 0 ? ORDINARY_PAGE : Math.min(size, LARGEST_PAGE);
        var found = store.list(filter, place(cursor), limit + 1);
        if (found.size() <= limit) return new Page<>(found, "");
        var shown = found.subList(0, limit);
        return new Page<>(shown, String.valueOf(shown.getLast().change().cursor()));
    }

    private static long place(String cursor) {
        if (cursor.isEmpty()) return Long.MAX_VALUE;
        try {
            return Long.parseLong(cursor);
        } catch (NumberFormatException e) {
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    "cursor: malformed (expected: the cursor of the page before)",
                    "Start again without a cursor.");
        }
    }
}
