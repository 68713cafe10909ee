// SPDX-License-Identifier: Apache-2.0
/// Walks deployments: one virtual thread each, deciding by the engine, recording before doing.
@NullMarked
package dev.pipecd.agent.run;

import org.jspecify.annotations.NullMarked;
