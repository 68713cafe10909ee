// SPDX-License-Identifier: Apache-2.0
/// The loop that reports what application files in Git say about applications, registered or not.
@NullMarked
package dev.pipecd.agent.suggest;

import org.jspecify.annotations.NullMarked;
