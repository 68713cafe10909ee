// SPDX-License-Identifier: Apache-2.0
/// The words of the trade and their rules: pure, and shared by control plane and agent.
@NullMarked
package dev.pipecd.domain;

import org.jspecify.annotations.NullMarked;
