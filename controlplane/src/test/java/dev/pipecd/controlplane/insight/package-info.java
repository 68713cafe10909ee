// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.insight;

import org.jspecify.annotations.NullMarked;
