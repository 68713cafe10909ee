// SPDX-License-Identifier: Apache-2.0
/// Chains: deployments of several applications, block after block.
@NullMarked
package dev.pipecd.controlplane.chain;

import org.jspecify.annotations.NullMarked;
