// SPDX-License-Identifier: Apache-2.0
/// The tools plugins ask for, such as kubectl or helm.
@NullMarked
package dev.pipecd.agent.plugin.tool;

import org.jspecify.annotations.NullMarked;
