// SPDX-License-Identifier: Apache-2.0
/// The agent's admin port: health, version and metrics over plain HTTP.
@NullMarked
package dev.pipecd.agent.admin;

import org.jspecify.annotations.NullMarked;
