// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.pipecd.controlplane.application;

import org.jspecify.annotations.NullMarked;
