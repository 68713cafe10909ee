// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.notify.Notifier;
import dev.pipecd.agent.plugin.LiveStates;
import dev.pipecd.agent.plugin.PluginSettings;
import dev.pipecd.agent.plugin.Plugins;
import dev.pipecd.agent.plugin.Sources;
import dev.pipecd.agent.plugin.fetch.Programs;
import dev.pipecd.agent.plugin.supervise.Timing;
import dev.pipecd.agent.plugin.tool.Tools;
import dev.pipecd.agent.report.SharedObjects;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.run.PluginDesk;
import dev.pipecd.agent.secret.SealedBySomebodyElse;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.agent.secret.Unsealing;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PluginSightTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final Application SITE =
            Application.newBuilder()
                    .setId("a1")
                    .setGitPath(
                            ApplicationGitPath.newBuilder()
                                    .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                    .setPath("site")
                                    .setConfigFilename("app.pipecd.yaml"))
                    .build();

    @TempDir Path directory;

    private SmallControlPlane controlPlane;
    private Plugins plugins;
    private GitRemote remote;
    private Repositories repositories;
    private PluginSight sight;

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        plugins = plugins();
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        InstantSource.system());
        var files = new ApplicationFiles(repositories);
        sight =
                new PluginSight(
                        new LiveStates(plugins),
                        repositories,
                        files,
                        new Sources(
                                repositories,
                                files,
                                work(),
                                new Unsealing(new Secrets(SealedBySomebodyElse.pair())),
                                Set.of()));
    }

    private Path work() {
        return directory.resolve("work").toAbsolutePath().normalize();
    }

    private Plugins plugins() {
        return new Plugins(
                new PluginSettings(
                        directory.resolve("plugins"),
                        List.of(),
                        List.of("false"),
                        0,
                        Timing.USUAL,
                        100,
                        Notifier.NOBODY),
                new Programs(directory.resolve("programs"), Map.of(), false),
                new Tools(
                        directory.resolve("tools"),
                        new PipedConfig.Tools("", false, Map.of()),
                        Duration.ofMinutes(1)),
                new PluginDesk(
                        () -> {
                            throw new IllegalStateException("nothing runs");
                        },
                        new SharedObjects(controlPlane.client())),
                new SecureRandom());
    }

    @AfterEach
    void stop() {
        repositories.close();
        plugins.close();
        controlPlane.close();
    }

    @Test
    void beforeTheFirstFetchThereIsNothingToCompareWith() {
        assertThat(sight.head(SITE)).isEmpty();
    }

    @Test
    void theFolderIsLaidOutOnceAndAnewOnlyWhenACommitTouchesIt() throws Exception {
        remote.write("site/app.pipecd.yaml", file("")).write("site/index", "1").commit("Begin");
        repositories.fetch(DEMO);
        var first = sight.head(SITE).orElseThrow().dirs();
        sight.done(SITE);
        remote.write("other/readme", "hello").commit("Touch something else");
        repositories.fetch(DEMO);
        var second = sight.head(SITE).orElseThrow().dirs();
        remote.write("site/index", "2").commit("Touch the site");
        repositories.fetch(DEMO);
        var third = sight.head(SITE).orElseThrow().dirs();

        assertThat(second).isSameAs(first);
        assertThat(third.applicationDirectory()).isNotEqualTo(first.applicationDirectory());
        assertThat(Files.readString(third.applicationDirectory().resolve("index"))).isEqualTo("2");
        assertThat(first.applicationDirectory()).doesNotExist();
    }

    @Test
    void sharedConfigurationTouchesEveryApplication() throws Exception {
        remote.write("site/app.pipecd.yaml", file("")).commit("Begin");
        repositories.fetch(DEMO);
        sight.head(SITE);
        remote.write(".pipe/shared", "x").commit("Share");
        repositories.fetch(DEMO);

        assertThat(sight.head(SITE).orElseThrow().dirs().sharedConfigDirectory().resolve("shared"))
                .exists();
    }

    @Test
    void whatTheApplicationRefersToTouchesItAlsoWhenItWasNotThereBefore() throws Exception {
        remote.write("site/app.pipecd.yaml", file("")).write("site/kustomization.yaml", "../base");
        remote.commit("Begin");
        repositories.fetch(DEMO);
        var without = sight.head(SITE).orElseThrow().dirs().applicationDirectory();
        remote.write("base/x", "1").commit("Add what was missing");
        repositories.fetch(DEMO);
        var first = sight.head(SITE).orElseThrow().dirs().applicationDirectory();
        var base = Files.readString(first.resolve("../base/x"));
        remote.write("base/x", "2").commit("Change it");
        repositories.fetch(DEMO);
        var second = sight.head(SITE).orElseThrow().dirs().applicationDirectory();

        assertThat(without).isNotEqualTo(first);
        assertThat(base).isEqualTo("1");
        assertThat(second.resolve("../base/x")).hasContent("2");
    }

    @Test
    void aFolderThatSomebodyRemovedIsLaidOutAgain() throws Exception {
        remote.write("site/app.pipecd.yaml", file("")).commit("Begin");
        repositories.fetch(DEMO);
        var first = sight.head(SITE).orElseThrow().dirs();
        Files.delete(first.applicationDirectory().resolve("app.pipecd.yaml"));
        Files.delete(first.applicationDirectory());

        assertThat(
                        sight.head(SITE)
                                .orElseThrow()
                                .dirs()
                                .applicationDirectory()
                                .resolve("app.pipecd.yaml"))
                .exists();
    }

    @Test
    void openedSecretsAreGoneAfterTheLookAndOpenedAgainForTheNext() throws Exception {
        remote.write("site/deploy.yaml", "{{ .encryptedSecrets.password }}")
                .write(
                        "site/app.pipecd.yaml",
                        file(
                                """
                                  encryption:
                                    encryptedSecrets: {password: %s}
                                    decryptionTargets: [deploy.yaml]
                                """
                                        .formatted(SealedBySomebodyElse.sealed().strip())))
                .commit("Begin");
        repositories.fetch(DEMO);
        var first =
                sight.head(SITE).orElseThrow().dirs().applicationDirectory().resolve("deploy.yaml");
        var opened = Files.readString(first);

        sight.done(SITE);

        assertThat(opened).doesNotContain("encryptedSecrets");
        assertThat(first).doesNotExist();
        var second =
                sight.head(SITE).orElseThrow().dirs().applicationDirectory().resolve("deploy.yaml");
        assertThat(second).hasContent(opened);
    }

    @Test
    void aBrokenFileIsAProblem() {
        remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        repositories.fetch(DEMO);

        assertThatThrownBy(() -> sight.head(SITE)).isInstanceOf(Problem.class);
    }

    @Test
    void whatIsNotKeptLeavesNothingBehind() throws Exception {
        remote.write("site/app.pipecd.yaml", file("")).commit("Begin");
        repositories.fetch(DEMO);
        sight.head(SITE);

        sight.keep(Set.of());

        try (var left = Files.list(work())) {
            assertThat(left).isEmpty();
        }
    }

    private static String file(String more) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: site
        """
                + more;
    }
}
