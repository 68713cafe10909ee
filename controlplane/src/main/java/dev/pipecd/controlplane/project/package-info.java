// SPDX-License-Identifier: Apache-2.0
/// The tenants this control plane serves.
@NullMarked
package dev.pipecd.controlplane.project;

import org.jspecify.annotations.NullMarked;
