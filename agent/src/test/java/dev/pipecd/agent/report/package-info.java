// SPDX-License-Identifier: Apache-2.0
/// Tests of `report`.
@NullMarked
package dev.pipecd.agent.report;

import org.jspecify.annotations.NullMarked;
