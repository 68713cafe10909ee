// SPDX-License-Identifier: Apache-2.0
/// Tests of what `.gitmodules` says.
@NullMarked
package dev.pipecd.agent.source.module;

import org.jspecify.annotations.NullMarked;
