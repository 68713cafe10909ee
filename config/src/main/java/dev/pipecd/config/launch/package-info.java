// SPDX-License-Identifier: Apache-2.0
/// What every program of ours is started with: the form of its log.
@NullMarked
package dev.pipecd.config.launch;

import org.jspecify.annotations.NullMarked;
