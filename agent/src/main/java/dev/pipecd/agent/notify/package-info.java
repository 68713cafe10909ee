// SPDX-License-Identifier: Apache-2.0
/// Tells people what happened, by Slack and webhooks, and never makes anybody wait for it.
@NullMarked
package dev.pipecd.agent.notify;

import org.jspecify.annotations.NullMarked;
