// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import dev.pipecd.agent.plugin.LiveState;
import dev.pipecd.agent.plugin.SourceDirs;
import dev.pipecd.config.Warning;
import dev.pipecd.domain.ApplicationId;
import dev.pipecd.wire.model.Application;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// How applications are looked at: through the plugins that deploy them.
public interface Sight {
    /// Whether the plugin may look at all.
    boolean offered(String plugin);

    /// What the application should be: its folder at the head; nothing before the first fetch.
    /// Throws a `Problem` when its file cannot be read.
    Optional<Head> head(Application application);

    /// @param warnings what its file says without effect
    record Head(SourceDirs dirs, List<Warning> warnings) {}

    /// Throws a `Problem` when the plugin cannot tell.
    LiveState look(String plugin, Application application, List<String> targets, SourceDirs head)
            throws InterruptedException;

    /// The look is over: what must not lie about is removed.
    void done(Application application);

    /// Only these are looked at from now on.
    void keep(Set<ApplicationId> applications);
}
