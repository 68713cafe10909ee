// SPDX-License-Identifier: Apache-2.0
/// What a template may say, and what not.
@NullMarked
package dev.pipecd.agent.template;

import org.jspecify.annotations.NullMarked;
