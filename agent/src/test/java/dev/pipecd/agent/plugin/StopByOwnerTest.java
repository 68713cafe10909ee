// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.run.PluginStages;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.SecretManagement;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.domain.deployment.StageResult;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import dev.pipecd.wire.model.SyncStrategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two versions of one plugin side by side, and the one that has nothing to do with it is down.
final class StopByOwnerTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path data;
    @TempDir Path elsewhere;

    @Test
    void aStageIsStoppedByThePluginThatBeganItAlsoInTheNextLifeOfTheAgent() throws Exception {
        var remote = GitRemote.init(Files.createDirectories(elsewhere.resolve("remote")));
        var commit =
                remote.write(
                                "site/app.pipecd.yaml",
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  name: site
                                  plugins: {old: {}}
                                  pipeline: {stages: [{name: FAKE}]}
                                """)
                        .commit("begin");
        var versions =
                List.of(
                        HostInTest.plugin("old", "builtin:fake", "good"),
                        HostInTest.other(data, "new", "good"));
        try (var host = HostInTest.start(data, versions, FakeHostCommand.get(), HostInTest.QUICK);
                var repositories = repositories(remote);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            repositories.fetch(DEMO);
            patiently().until(() -> host.plugins().ownersOf("FAKE").size() == 2);
            var deployment = deployment(commit);
            var begun = stages(repositories, host.plugins());
            var answer = threads.submit(() -> begun.run(deployment, HostInTest.STAGE, Leave.GIVEN));
            patiently().until(() -> host.lines("executed").size() == 1);
            endForGood(host);

            var next = stages(repositories, host.plugins());
            next.stop(deployment, HostInTest.STAGE, "cancelled by ann");

            assertThat(answer.get()).isEqualTo(new StageResult.Failed("cancelled by ann"));
            var unknown = HostInTest.STAGE.toBuilder().setId("s9").build();
            assertThatThrownBy(() -> next.stop(deployment, unknown, "cancelled by ann"))
                    .as("where nobody knows who began it, all are asked")
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith("plugin new: ");
        }
    }

    /// Both offer it, the application names nobody, and this machine has not begun it.
    @Test
    void aRollbackIsOfThePluginItWasPlannedWithAlsoWhereItsNameIsNot() throws Exception {
        var remote = GitRemote.init(Files.createDirectories(elsewhere.resolve("remote")));
        var commit =
                remote.write(
                                "site/app.pipecd.yaml",
                                """
                                apiVersion: pipecd.dev/v1beta1
                                kind: Application
                                spec:
                                  name: site
                                  pipeline: {stages: [{name: FAKE}]}
                                """)
                        .commit("begin");
        var versions =
                List.of(
                        HostInTest.plugin("old", "builtin:fake", "good"),
                        HostInTest.other(data, "new", "good"),
                        HostInTest.plugin("silent", "/does/not/exist", "good"));
        var planned =
                HostInTest.STAGE.toBuilder().setName("FAKE_ROLLBACK").setRollback(true).setId("s2");
        PlannedOwner.keep(planned, "old");
        try (var host = HostInTest.start(data, versions, FakeHostCommand.get(), HostInTest.QUICK);
                var repositories = repositories(remote);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            repositories.fetch(DEMO);
            patiently().until(() -> host.plugins().ownersOf("FAKE_ROLLBACK").size() == 2);
            endForGood(host);
            var stages = stages(repositories, host.plugins());

            stages.stop(deployment(commit), planned.setId("s9").build(), "cancelled by ann");
            Files.delete(data.resolve("plugin-state/stop"));
            var rollback = planned.setId("s2").build();
            var answer =
                    threads.submit(() -> stages.run(deployment(commit), rollback, Leave.GIVEN));
            patiently().until(() -> host.lines("executed").size() == 1);
            host.finish("STAGE_SUCCESS");

            assertThat(answer.get()).isEqualTo(new StageResult.Succeeded());
        }
    }

    private void endForGood(HostInTest host) throws Exception {
        Files.delete(data.resolve("other-plugin"));
        deleteAllIn(data.resolve("programs"));
        var pid = Files.readAllLines(data.resolve("process-new.pid")).getFirst();
        new ProcessBuilder("kill", "-KILL", pid).start().waitFor();
        patiently()
                .until(() ->
                        host.plugins().health().stream()
                                .anyMatch(h ->
                                        h.name().equals("new")
                                                && h.detail().contains("again and again")));
    }

    private static void deleteAllIn(Path folder) throws Exception {
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(Files::isRegularFile).toList()) Files.delete(file);
        }
    }

    private Repositories repositories(GitRemote remote) {
        return new Repositories(
                elsewhere.resolve("mirrors"),
                List.of(new Repository(DEMO, remote.address(), "main")),
                GitBinary.onPath(GitRemote.access(elsewhere.resolve("git"))),
                InstantSource.system());
    }

    private PluginStages stages(Repositories repositories, Plugins plugins) {
        var files = new ApplicationFiles(repositories);
        return new PluginStages(
                files,
                new Sources(
                        repositories,
                        files,
                        elsewhere.resolve("work"),
                        new Unsealing(new Secrets(new SecretManagement.Unset())),
                        Set.of(new DeploymentId("d1"))),
                plugins,
                repositories);
    }

    private static Deployment deployment(String commit) {
        return HostInTest.DEPLOYMENT.toBuilder()
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value()))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setSyncStrategy(SyncStrategy.PIPELINE)
                                .setCommit(Commit.newBuilder().setHash(commit)))
                .build();
    }
}
