// SPDX-License-Identifier: Apache-2.0
/// Secrets sealed elsewhere, opened here.
@NullMarked
package dev.pipecd.agent.secret;

import org.jspecify.annotations.NullMarked;
