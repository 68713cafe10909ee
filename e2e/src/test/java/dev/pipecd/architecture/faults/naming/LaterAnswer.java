// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.naming;

import java.util.concurrent.CompletableFuture;

/// Rule 10: an answer that comes later.
public record LaterAnswer(CompletableFuture<String> answer) {}
