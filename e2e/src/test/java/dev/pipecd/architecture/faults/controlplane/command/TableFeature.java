// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.controlplane.command;

import dev.pipecd.architecture.faults.controlplane.store.Table;

/// Rule 5e: a feature knows a table.
public record TableFeature(Table table) {}
