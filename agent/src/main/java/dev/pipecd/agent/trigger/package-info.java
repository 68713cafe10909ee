// SPDX-License-Identifier: Apache-2.0
/// Decides when an application is deployed: on a commit that touches it, or on a person's order.
@NullMarked
package dev.pipecd.agent.trigger;

import org.jspecify.annotations.NullMarked;
