// SPDX-License-Identifier: Apache-2.0
/// Everything said to and heard from the control plane. The only place that knows its protocol.
@NullMarked
package dev.pipecd.agent.report;

import org.jspecify.annotations.NullMarked;
