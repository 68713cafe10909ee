// SPDX-License-Identifier: Apache-2.0
/// Texts with places to fill in: the part of Go's template language that people use for secrets.
@NullMarked
package dev.pipecd.agent.template;

import org.jspecify.annotations.NullMarked;
