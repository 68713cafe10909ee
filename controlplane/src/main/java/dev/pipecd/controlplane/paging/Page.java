// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.paging;

import java.util.List;

/// A part of a list and where it goes on; the cursor is empty when nothing was found.
public record Page<T>(List<T> items, String cursor) {
    public Page {
        items = List.copyOf(items);
    }
}
