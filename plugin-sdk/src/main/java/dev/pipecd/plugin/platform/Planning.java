// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import dev.pipecd.plugin.stage.DeploymentFacts;

/// A deployment that is to be planned.
public interface Planning extends Question {
    DeploymentFacts deployment();
}
