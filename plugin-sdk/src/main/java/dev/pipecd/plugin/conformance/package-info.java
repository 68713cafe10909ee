// SPDX-License-Identifier: Apache-2.0
/// The conformance kit: runs any plugin, in whatever language, through what agents rely on, and
/// prints what it keeps and what it breaks.
@NullMarked
package dev.pipecd.plugin.conformance;

import org.jspecify.annotations.NullMarked;
