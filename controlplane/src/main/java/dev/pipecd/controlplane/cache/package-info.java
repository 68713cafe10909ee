// SPDX-License-Identifier: Apache-2.0
/// What the servers of one installation share beside the stores: in this process, or in Redis.
@NullMarked
package dev.pipecd.controlplane.cache;

import org.jspecify.annotations.NullMarked;
