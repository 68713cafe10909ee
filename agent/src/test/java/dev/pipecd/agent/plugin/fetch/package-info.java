// SPDX-License-Identifier: Apache-2.0
/// Tests of how programs of plugins are fetched.
@NullMarked
package dev.pipecd.agent.plugin.fetch;

import org.jspecify.annotations.NullMarked;
