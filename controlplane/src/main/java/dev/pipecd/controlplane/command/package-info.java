// SPDX-License-Identifier: Apache-2.0
/// Orders people give and agents carry out.
@NullMarked
package dev.pipecd.controlplane.command;

import org.jspecify.annotations.NullMarked;
