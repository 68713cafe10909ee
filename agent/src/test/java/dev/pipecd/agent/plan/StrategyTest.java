// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.ApplicationConfig;
import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// The order of the public rules: each test has what the rules below would say otherwise.
final class StrategyTest {
    private static final String PIPELINE = "pipeline: {stages: [{name: WAIT}]}";
    private static final String MATCHERS =
            PIPELINE + "\n  commitMatcher: {pipeline: '^feat', quickSync: 'docs'}";

    @Test
    void whatIsOrderedComesFirst() {
        var ordered = trigger("ann", "feat: x").setSyncStrategy(SyncStrategy.QUICK_SYNC);

        assertThat(
                        Strategy.byRule(
                                spec(PIPELINE + "\n  planner: {alwaysUsePipeline: true}"),
                                ordered.build()))
                .contains(new Strategy(SyncStrategy.QUICK_SYNC, "ordered by ann"));
    }

    @Test
    void withoutAPipelineItIsAQuickSync() {
        assertThat(
                        Strategy.byRule(
                                spec("planner: {alwaysUsePipeline: true}"),
                                trigger("", "feat: x").build()))
                .contains(
                        new Strategy(
                                SyncStrategy.QUICK_SYNC, "quick sync: no pipeline is configured"));
    }

    @Test
    void alwaysUsePipelineComesBeforeTheCommitMatchers() {
        assertThat(
                        Strategy.byRule(
                                spec(MATCHERS + "\n  planner: {alwaysUsePipeline: true}"),
                                trigger("", "docs").build()))
                .contains(
                        new Strategy(SyncStrategy.PIPELINE, "pipeline: alwaysUsePipeline is set"));
    }

    @Test
    void theMatcherOfThePipelineComesBeforeThatOfTheQuickSync() {
        assertThat(Strategy.byRule(spec(MATCHERS), trigger("", "feat: docs").build()))
                .contains(
                        new Strategy(
                                SyncStrategy.PIPELINE,
                                "pipeline: the commit message matches ^feat"));
        assertThat(Strategy.byRule(spec(MATCHERS), trigger("", "new docs").build()))
                .contains(
                        new Strategy(
                                SyncStrategy.QUICK_SYNC,
                                "quick sync: the commit message matches docs"));
    }

    @Test
    void commitMatchersAreForCommitsOnly() {
        assertThat(Strategy.byRule(spec(MATCHERS), trigger("ann", "feat: x").build())).isEmpty();
    }

    @Test
    void otherwiseThePluginsAreAsked() {
        assertThat(Strategy.byRule(spec(MATCHERS), trigger("", "fix: x").build())).isEmpty();
    }

    private static DeploymentTrigger.Builder trigger(String commander, String subject) {
        return DeploymentTrigger.newBuilder()
                .setCommander(commander)
                .setCommit(Commit.newBuilder().setMessage(subject));
    }

    private static ApplicationConfig spec(String spec) {
        var document =
                "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec:\n  name: a\n  "
                        + spec
                        + "\n";
        return Documents.application("app.pipecd.yaml", document.getBytes(StandardCharsets.UTF_8))
                .value();
    }
}
