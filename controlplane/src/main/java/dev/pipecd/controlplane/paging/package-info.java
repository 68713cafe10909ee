// SPDX-License-Identifier: Apache-2.0
/// How long lists are read a page at a time.
@NullMarked
package dev.pipecd.controlplane.paging;

import org.jspecify.annotations.NullMarked;
