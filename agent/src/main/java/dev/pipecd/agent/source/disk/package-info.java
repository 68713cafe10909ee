// SPDX-License-Identifier: Apache-2.0
/// The agent's own folders beside Git: there whole or not at all, and free of what died in them.
@NullMarked
package dev.pipecd.agent.source.disk;

import org.jspecify.annotations.NullMarked;
