// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import com.google.re2j.Pattern;
import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.util.List;
import java.util.Optional;

/// How a change is deployed, and why.
record Strategy(SyncStrategy kind, String summary) {
    private static final int LONGEST_REASON = 300;

    /// What runs now is not known, and unknown is not nothing: the careful way.
    static final Strategy CAREFUL =
            new Strategy(
                    SyncStrategy.PIPELINE,
                    "pipeline: what runs now is not to be had from the repository any more");

    static final Strategy FIRST =
            new Strategy(
                    SyncStrategy.QUICK_SYNC,
                    "quick sync: the first deployment of this application");

    /// Where only stage plugins are asked nobody has an opinion; the person wrote a pipeline.
    ///
    /// @param untold why plugins that may have one could not say it
    static Strategy asWritten(List<String> untold) {
        var summary = new StringBuilder("pipeline: as configured");
        for (var reason : untold)
            summary.append("; no strategy was told: ")
                    .append(reason, 0, Math.min(LONGEST_REASON, reason.length()));
        return new Strategy(SyncStrategy.PIPELINE, summary.toString());
    }

    boolean quick() {
        return kind == SyncStrategy.QUICK_SYNC;
    }

    /// What can be said without asking any plugin, in the order of the public rules.
    static Optional<Strategy> byRule(ApplicationConfig config, DeploymentTrigger trigger) {
        var ordered = trigger.getSyncStrategy();
        if (ordered == SyncStrategy.QUICK_SYNC || ordered == SyncStrategy.PIPELINE)
            return found(ordered, "ordered by " + trigger.getCommander());
        if (config.stages().isEmpty())
            return found(SyncStrategy.QUICK_SYNC, "quick sync: no pipeline is configured");
        if (config.planner().alwaysUsePipeline())
            return found(SyncStrategy.PIPELINE, "pipeline: alwaysUsePipeline is set");
        if (!trigger.getCommander().isEmpty()) return Optional.empty();
        var matcher = config.planner().commitMatcher();
        var subject = trigger.getCommit().getMessage();
        if (matches(matcher.pipeline(), subject))
            return found(
                    SyncStrategy.PIPELINE,
                    "pipeline: the commit message matches " + matcher.pipeline());
        if (matches(matcher.quickSync(), subject))
            return found(
                    SyncStrategy.QUICK_SYNC,
                    "quick sync: the commit message matches " + matcher.quickSync());
        return Optional.empty();
    }

    private static Optional<Strategy> found(SyncStrategy kind, String summary) {
        return Optional.of(new Strategy(kind, summary));
    }

    private static boolean matches(String pattern, String subject) {
        return !pattern.isEmpty() && Pattern.compile(pattern).matcher(subject).find();
    }
}
