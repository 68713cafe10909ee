// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.admin;

import java.util.List;

/// Knows how one side of the agent does: its plugins, its repositories, its control plane, its
/// journal. Answers from memory: whoever asks for health must never wait for what is broken.
@FunctionalInterface
public interface HealthSource {
    List<Part> parts();

    /// One thing that can be well or not.
    ///
    /// @param kind the group it belongs to: `plugin`, `repository`, `controlPlane`, `journal`,
    ///   `deployment`, `parkedReport`
    /// @param advice what to do about it; empty when all is well
    record Part(String kind, String name, boolean ok, String detail, String advice) {}
}
