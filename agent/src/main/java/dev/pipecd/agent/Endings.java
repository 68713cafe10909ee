// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.run.Runs;
import dev.pipecd.wire.model.Deployment;

/// What the rest of the agent makes of it that deployments begin and end.
///
/// @param look what could not be opened before is due
record Endings(Applications applications, Runnable look) implements Runs.Ends {
    @Override
    public void succeeded(Deployment deployment) {
        applications.succeeded(deployment);
    }

    @Override
    public void succeededBefore(Deployment deployment) {
        applications.succeededBefore(deployment);
    }

    @Override
    public void openedBefore(Deployment deployment) {
        applications.triggeredBefore(deployment);
    }

    @Override
    public void room() {
        look.run();
    }
}
