// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.retention;

import dev.pipecd.controlplane.application.ApplicationStore;
import dev.pipecd.controlplane.chain.ChainStore;
import dev.pipecd.controlplane.command.CommandStore;
import dev.pipecd.controlplane.deployment.DeploymentStore;
import dev.pipecd.controlplane.event.EventStore;

/// What is looked through for old things, and what may still need them.
public record Stores(
        DeploymentStore deployments,
        EventStore events,
        CommandStore commands,
        ApplicationStore applications,
        ChainStore chains) {}
