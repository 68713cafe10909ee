// SPDX-License-Identifier: Apache-2.0
/// Where a plugin's program comes from: a file, an address or a registry, kept under its checksum.
@NullMarked
package dev.pipecd.agent.plugin.fetch;

import org.jspecify.annotations.NullMarked;
