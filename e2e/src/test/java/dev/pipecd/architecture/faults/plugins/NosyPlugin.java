// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.architecture.faults.plugins;

import dev.pipecd.architecture.faults.plugin.host.Inside;

/// Rule 4a: a plugin knows the SDK's insides.
public record NosyPlugin(Inside inside) {}
