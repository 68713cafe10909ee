// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.unmarked;

/// Rule 6: its package says nothing about null.
public final class Unmarked {}
