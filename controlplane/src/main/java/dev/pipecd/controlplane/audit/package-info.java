// SPDX-License-Identifier: Apache-2.0
/// Who did what in a project, read from the trail.
@NullMarked
package dev.pipecd.controlplane.audit;

import org.jspecify.annotations.NullMarked;
