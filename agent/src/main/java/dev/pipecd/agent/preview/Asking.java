// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import java.util.List;

/// What a preview asks of those who would carry the change out.
public interface Asking {
    /// The deployment that the commit would open.
    Deployment opened(Application application, Commit merged);

    /// The same with strategy and stages, planned as it would be; a `Problem` when it cannot be.
    Deployment planned(Deployment opened) throws InterruptedException;

    /// The plugins it is the business of.
    List<String> plugins(Deployment planned);

    /// What one of them would change.
    List<Change> changes(String plugin, Deployment planned) throws InterruptedException;

    /// The preview is over.
    void done(Deployment opened);
}
