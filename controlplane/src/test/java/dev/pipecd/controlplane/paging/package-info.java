// SPDX-License-Identifier: Apache-2.0
/// Tests of lists in parts.
@NullMarked
package dev.pipecd.controlplane.paging;

import org.jspecify.annotations.NullMarked;
