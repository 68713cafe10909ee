// SPDX-License-Identifier: Apache-2.0
/// The doors for what a plugin does beside running stages, and its description of itself.
@NullMarked
package dev.pipecd.plugin.host.role;

import org.jspecify.annotations.NullMarked;
