// SPDX-License-Identifier: Apache-2.0
/// Where plugins call their agent: who may come in, and what they are answered.
@NullMarked
package dev.pipecd.agent.plugin.callback;

import org.jspecify.annotations.NullMarked;
