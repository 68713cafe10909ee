// SPDX-License-Identifier: Apache-2.0
/// Documents on SQLite: what the features keep, durable when acknowledged.
@NullMarked
package dev.pipecd.controlplane.store;

import org.jspecify.annotations.NullMarked;
