// SPDX-License-Identifier: Apache-2.0
/// Tests of how plugin processes are kept alive.
@NullMarked
package dev.pipecd.agent.plugin.supervise;

import org.jspecify.annotations.NullMarked;
