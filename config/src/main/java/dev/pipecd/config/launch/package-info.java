// SPDX-License-Identifier: Apache-2.0
/// What every program of ours is started with: flags, the form of its log, and what a line of it
/// belongs to.
@NullMarked
package dev.pipecd.config.launch;

import org.jspecify.annotations.NullMarked;
