// SPDX-License-Identifier: Apache-2.0
/// `pipectl transfer`: agents and applications from one control plane to another.
@NullMarked
package dev.pipecd.cli.transfer;

import org.jspecify.annotations.NullMarked;
