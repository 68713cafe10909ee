// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.controlplane.store;

/// Stands for a table.
public final class Table {}
