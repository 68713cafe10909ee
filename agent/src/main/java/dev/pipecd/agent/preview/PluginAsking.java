// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import dev.pipecd.agent.plugin.PlanPreviews;
import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.Commit;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import java.util.List;

/// Opens and plans as for a real deployment, and asks its plugins.
public final class PluginAsking implements Asking {
    /// What folders of previews are called among those of deployments.
    private static final String FOLDER = "preview-";

    private static final String USE = "preview";

    private final Opening opening;
    private final Planning planning;
    private final PlanPreviews plugins;
    private final ApplicationFiles files;
    private final Sources sources;

    public PluginAsking(
            Opening opening,
            Planning planning,
            PlanPreviews plugins,
            ApplicationFiles files,
            Sources sources) {
        this.opening = opening;
        this.planning = planning;
        this.plugins = plugins;
        this.files = files;
        this.sources = sources;
    }

    /// Writes the document of a deployment that a commit opens.
    public interface Opening {
        Deployment open(Application application, Commit commit);
    }

    /// Fills in strategy, summary and stages.
    public interface Planning {
        Deployment plan(Deployment opened) throws InterruptedException;
    }

    @Override
    public Deployment opened(Application application, Commit merged) {
        var opened = opening.open(application, merged);
        return opened.toBuilder().setId(FOLDER + opened.getId()).build();
    }

    @Override
    public Deployment planned(Deployment opened) throws InterruptedException {
        return planning.plan(opened);
    }

    @Override
    public List<String> plugins(Deployment planned) {
        return plugins.askedOf(
                planned,
                files.read(planned.getGitPath(), planned.getTrigger().getCommit().getHash())
                        .config());
    }

    @Override
    public List<Change> changes(String plugin, Deployment planned) throws InterruptedException {
        return plugins.of(
                plugin, planned, sources.target(planned, USE), sources.running(planned, USE));
    }

    @Override
    public void done(Deployment opened) {
        sources.remove(opened);
    }
}
