// SPDX-License-Identifier: Apache-2.0
/// The processes plugins live in: started, watched, started again, ended whole.
@NullMarked
package dev.pipecd.agent.plugin.supervise;

import org.jspecify.annotations.NullMarked;
