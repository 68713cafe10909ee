// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.audit;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Origin;

/// One deed.
///
/// @param before JSON of the fields that changed, or empty
/// @param after JSON of the fields that changed, or empty
public record AuditEntry(Change change, Origin origin, String before, String after) {}
