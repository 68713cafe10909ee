// SPDX-License-Identifier: Apache-2.0
/// The agent: watches Git, plans and walks deployments through plugins, and reports.
@NullMarked
package dev.pipecd.agent;

import org.jspecify.annotations.NullMarked;
