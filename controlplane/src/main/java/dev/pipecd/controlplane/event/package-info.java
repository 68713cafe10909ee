// SPDX-License-Identifier: Apache-2.0
/// What happened outside (a new image, a release) and is to be written into Git, and the commits it
/// came of.
@NullMarked
package dev.pipecd.controlplane.event;

import org.jspecify.annotations.NullMarked;
