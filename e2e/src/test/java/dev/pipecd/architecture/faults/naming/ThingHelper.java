// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.naming;

/// Rule 8: a name that says nothing.
public final class ThingHelper {}
