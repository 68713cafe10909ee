// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import dev.pipecd.plugin.host.role.Served;
import java.time.InstantSource;

/// What all stages of one served plugin share.
record StageEdge(Served served, StateDirectory state, AgentClient agent, InstantSource clock) {}
