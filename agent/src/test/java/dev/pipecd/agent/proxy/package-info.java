// SPDX-License-Identifier: Apache-2.0
/// Tests of `proxy`.
@NullMarked
package dev.pipecd.agent.proxy;

import org.jspecify.annotations.NullMarked;
