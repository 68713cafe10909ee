// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.access;

import java.util.List;
import java.util.Map;

/// Which labels the things of a list must carry: all that were asked for, and at least one of the
/// sets the caller's roles are limited to.
///
/// @param within empty when the caller is not limited
public record Labels(Map<String, String> wanted, List<Map<String, String>> within) {
    public Labels {
        wanted = Map.copyOf(wanted);
        within = List.copyOf(within);
    }

    public static Labels of(Map<String, String> wanted) {
        return new Labels(wanted, List.of());
    }

    /// Narrowed to what the caller may see; the caller may see something.
    public Labels seenBy(Caller caller, Caller.Resource resource, Caller.Action action) {
        caller.requireSome(resource, action);
        var sets = caller.within(resource, action);
        return sets.contains(Map.of()) ? this : new Labels(wanted, sets);
    }
}
