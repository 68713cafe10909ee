// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.platform;

import dev.pipecd.plugin.stage.DeployTarget;
import dev.pipecd.plugin.stage.Source;
import dev.pipecd.plugin.stage.Surroundings;
import java.util.List;
import java.util.Optional;

/// What the agent asks about: an application at a commit, and the targets it is deployed to. The
/// asking thread is interrupted when the agent no longer waits for the answer.
public interface Question extends Surroundings {
    String applicationId();

    String applicationName();

    Source source();

    /// The application at the commit that runs now; none before its first deployment, nor where the
    /// question is not about a change.
    Optional<Source> runningSource();

    List<DeployTarget> deployTargets();
}
