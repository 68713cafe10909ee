// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import dev.pipecd.domain.Problem;

/// Ids as they come in by the doors.
public final class Ids {
    private Ids() {}

    /// Refuses an id that is not there, whether or not a rule of the message demands it.
    public static String given(String name, String id) {
        if (id.isBlank())
            throw new Problem(
                    Problem.Code.REQUEST_INVALID,
                    name + ": \"\" (expected: an id)",
                    "Name what is meant.");
        return id;
    }
}
