// SPDX-License-Identifier: Apache-2.0
/// How well a project delivers: figures counted over completed deployments.
@NullMarked
package dev.pipecd.controlplane.insight;

import org.jspecify.annotations.NullMarked;
