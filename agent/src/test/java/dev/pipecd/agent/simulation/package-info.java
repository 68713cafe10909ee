// SPDX-License-Identifier: Apache-2.0
/// The agent's own classes in a world that is made up: its clock, threads, disk, plugins, Git and
/// control plane.
@NullMarked
package dev.pipecd.agent.simulation;

import org.jspecify.annotations.NullMarked;
