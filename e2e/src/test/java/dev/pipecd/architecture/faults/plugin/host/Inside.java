// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.plugin.host;

/// Stands for the SDK's insides.
public final class Inside {}
