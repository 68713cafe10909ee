// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.PluginSettings;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.PipelineStage;
import dev.pipecd.wire.model.SyncStrategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PluginStagesTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path directory;

    /// The first stage of the file has the index of a quick sync's and of a rollback's, and nothing
    /// to do with them.
    @Test
    void whatTheFileSaysOfItsFirstStageIsOnlyForThatStage() throws Exception {
        var remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        var commit =
                remote.write(
                                "site/app.pipecd.yaml",
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  name: site
                                  pipeline:
                                    stages: [{name: WAIT, skipOn: {commitMessagePrefixes: ["docs:"]}}]
                                """)
                        .commit("docs: say more");
        var git = GitBinary.onPath(GitRemote.access(directory.resolve("git")));
        try (var repositories =
                        new Repositories(
                                directory.resolve("mirrors"),
                                List.of(new Repository(DEMO, remote.address(), "main")),
                                git,
                                InstantSource.system());
                var controlPlane = SmallControlPlane.open();
                var plugins = plugins(controlPlane)) {
            repositories.fetch(DEMO);
            var stages = stages(repositories, plugins);
            var wait = PipelineStage.newBuilder().setName("WAIT").build();
            var undo = PipelineStage.newBuilder().setName("UNDO").setRollback(true).build();

            assertThat(stages.unneeded(deployment(commit, SyncStrategy.PIPELINE), wait))
                    .hasValue("skipped: the commit message begins with \"docs:\"");
            assertThat(stages.unneeded(deployment(commit, SyncStrategy.QUICK_SYNC), wait))
                    .isEmpty();
            assertThat(stages.unneeded(deployment(commit, SyncStrategy.PIPELINE), undo)).isEmpty();
        }
    }

    private PluginStages stages(Repositories repositories, Plugins plugins) {
        var files = new ApplicationFiles(repositories);
        return new PluginStages(
                files,
                new Sources(
                        repositories,
                        files,
                        directory.resolve("work"),
                        new Unsealing(new Secrets(new SecretManagement.Unset())),
                        Set.of()),
                plugins,
                repositories);
    }

    private Plugins plugins(SmallControlPlane controlPlane) {
        return new Plugins(
                new PluginSettings(
                        directory, List.of(), List.of(), 0, Timing.USUAL, 100, Notifier.NOBODY),
                new Programs(directory.resolve("programs"), Map.of(), false),
                new Tools(
                        directory.resolve("tools"),
                        new PipedConfig.Tools("", false, Map.of()),
                        Duration.ofSeconds(1)),
                new PluginDesk(
                        () -> {
                            throw new IllegalStateException("nothing runs here");
                        },
                        new SharedObjects(controlPlane.client())),
                new SecureRandom());
    }

    private static Deployment deployment(String commit, SyncStrategy strategy) {
        return Deployment.newBuilder()
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value()))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setSyncStrategy(strategy)
                                .setCommit(
                                        Commit.newBuilder()
                                                .setHash(commit)
                                                .setMessage("docs: say more")))
                .build();
    }
}
