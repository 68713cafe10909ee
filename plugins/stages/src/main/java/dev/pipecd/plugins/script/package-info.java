// SPDX-License-Identifier: Apache-2.0
/// SCRIPT_RUN: people's own commands, begun at most once and never lost sight of.
@NullMarked
package dev.pipecd.plugins.script;

import org.jspecify.annotations.NullMarked;
