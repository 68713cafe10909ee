// SPDX-License-Identifier: Apache-2.0
/// `pipectl event`: tells the control plane what other systems did.
@NullMarked
package dev.pipecd.cli.event;

import org.jspecify.annotations.NullMarked;
