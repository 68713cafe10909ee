// SPDX-License-Identifier: Apache-2.0
/// Tests of where the configuration comes from.
@NullMarked
package dev.pipecd.agent.document;

import org.jspecify.annotations.NullMarked;
