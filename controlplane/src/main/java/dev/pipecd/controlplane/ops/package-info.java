// SPDX-License-Identifier: Apache-2.0
/// What is done now and then, whoever calls or not, by one process at a time.
@NullMarked
package dev.pipecd.controlplane.ops;

import org.jspecify.annotations.NullMarked;
