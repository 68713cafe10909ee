// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.stage.DeployTarget;
import java.time.InstantSource;
import java.util.List;

/// What all stages of one served plugin share.
record StageEdge(
        String plugin,
        List<DeployTarget> targets,
        StateDirectory state,
        AgentClient agent,
        InstantSource clock) {}
