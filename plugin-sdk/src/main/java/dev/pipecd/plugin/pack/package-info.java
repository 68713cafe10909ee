// SPDX-License-Identifier: Apache-2.0
/// Makes one executable file of a plugin, so that any agent can fetch and start it.
@NullMarked
package dev.pipecd.plugin.pack;

import org.jspecify.annotations.NullMarked;
