// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.deliver;

import java.time.Duration;
import java.util.List;

/// What was ordered, until all of it has become deployments or is known not to.
sealed interface Beginning permits Syncs, CausedDeployments {
    /// What has come of it since this was asked last.
    News news();

    /// Whether nothing more is to be waited for.
    boolean complete();

    /// Waits no longer for what has not begun after this time.
    List<Failure> giveUp(Duration after);

    /// @param deployments the ids of those that have begun
    record News(List<String> deployments, List<Failure> failures) {
        public News {
            deployments = List.copyOf(deployments);
            failures = List.copyOf(failures);
        }
    }
}
