// SPDX-License-Identifier: Apache-2.0
/// `pipectl piped`: the agents.
@NullMarked
package dev.pipecd.cli.piped;

import org.jspecify.annotations.NullMarked;
