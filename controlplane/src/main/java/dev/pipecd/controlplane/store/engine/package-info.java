// SPDX-License-Identifier: Apache-2.0
/// The databases that documents can be kept in: how each is opened, spoken to, and what its errors
/// mean.
@NullMarked
package dev.pipecd.controlplane.store.engine;

import org.jspecify.annotations.NullMarked;
