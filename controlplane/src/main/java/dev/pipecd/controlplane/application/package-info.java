// SPDX-License-Identifier: Apache-2.0
/// What is deployed: registered by people, reported on by agents.
@NullMarked
package dev.pipecd.controlplane.application;

import org.jspecify.annotations.NullMarked;
