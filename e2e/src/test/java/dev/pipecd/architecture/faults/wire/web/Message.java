// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.wire.web;

/// Stands for a generated service message.
public final class Message {}
