// SPDX-License-Identifier: Apache-2.0
/// Brings the agent's configuration from where its flags say it is kept.
@NullMarked
package dev.pipecd.agent.document;

import org.jspecify.annotations.NullMarked;
