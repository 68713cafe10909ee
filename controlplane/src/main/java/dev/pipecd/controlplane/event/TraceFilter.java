// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.event;

import dev.pipecd.domain.ProjectId;

/// Which commits of a project are wanted; an empty hash does not narrow.
///
/// @param since updated at this second or later
public record TraceFilter(ProjectId project, String commitHash, long since) {}
