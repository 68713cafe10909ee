// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.wire.model;

/// Stands for a generated entity message.
public final class Entity {}
