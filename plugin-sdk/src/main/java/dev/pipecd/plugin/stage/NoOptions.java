// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// The options of what has none.
public record NoOptions() {}
