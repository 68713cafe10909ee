// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.stage;

/// Which step of which deployment this is.
public record StageFacts(String id, String name, int index, DeploymentFacts deployment) {}
