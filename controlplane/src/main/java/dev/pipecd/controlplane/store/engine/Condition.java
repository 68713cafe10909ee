// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store.engine;

import java.util.List;

/// A condition in an engine's words; values are always bound, never written into the text.
public record Condition(String sql, List<Object> values) {
    public Condition {
        values = List.copyOf(values);
    }

    public static Condition of(String sql, Object... values) {
        return new Condition(sql, List.of(values));
    }
}
