// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Previews that are broken off, most of them while git asks the server for their commit.
final class InterruptedPreviewTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path directory;

    private SmallControlPlane controlPlane;
    private Ledger ledger;
    private Outbox outbox;
    private Repositories repositories;
    private Previews previews;
    private String head = "";
    private volatile Optional<Error> fault = Optional.empty();

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        var remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        remote.write("one/x", "1").commit("Begin");
        remote.git("checkout", "--quiet", "-b", "change");
        head = remote.write("one/x", "2").commit("Change");
        remote.git("checkout", "--quiet", "main");
        // Nothing leads to it any more: it is asked for by its name.
        remote.git("branch", "--quiet", "-D", "change");
        var clock = InstantSource.system();
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane.client(), clock);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        holdingGit(),
                        clock);
        previews =
                new Previews(
                        new Preview(
                                repositories,
                                new ApplicationFiles(repositories),
                                new Applications(directory.resolve("applications")),
                                this::narrowed,
                                new ScriptedAsking(),
                                clock),
                        outbox,
                        new PipedConfig.PlanPreview(
                                3, 10, Duration.ofSeconds(5), Duration.ofMinutes(5)),
                        new Uncounted(),
                        clock);
    }

    /// One that holds on while it asks for a commit by its name.
    private GitBinary holdingGit() throws Exception {
        Files.createFile(directory.resolve("hold"));
        var script = directory.resolve("holding-git");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case "$*" in
                  *refs/pipecd/*)
                    touch '%1$s/asked'
                    while [ -e '%1$s/hold' ]; do sleep 0.05; done;;
                esac
                exec git "$@"
                """
                        .formatted(directory));
        script.toFile().setExecutable(true);
        return new GitBinary(
                script.toString(),
                GitRemote.access(directory.resolve("git")),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1));
    }

    @AfterEach
    void stop() throws Exception {
        Files.deleteIfExists(directory.resolve("hold"));
        previews.close();
        repositories.close();
        outbox.close();
        ledger.close();
        controlPlane.close();
    }

    @Test
    void oneThatIsCalledOffKeepsTheCommitFromNobodyElse() throws Exception {
        begin(0);

        previews.keep(previews.underWay(), List.of());
        patiently().until(() -> previews.underWay().isEmpty());
        Files.delete(directory.resolve("hold"));

        assertThat(repositories.contains(DEMO, head)).isTrue();
        assertThat(ledger.undelivered()).isEmpty();
        assertThat(controlPlane.handled).isEmpty();
    }

    @Test
    void oneThatTakesTooLongIsToldSo() throws Exception {
        begin(1);

        patiently().until(() -> !controlPlane.handled.isEmpty());
        var handled = controlPlane.handled.getFirst();
        assertThat(handled.getStatus()).isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(handled.getOutput().toStringUtf8())
                .contains("no result within the time limit of the preview");
    }

    @Test
    void oneThatTheAgentsEndBrokeOffIsLeftToTheNextAgent() throws Exception {
        begin(0);

        previews.close();

        patiently().until(() -> previews.underWay().isEmpty());
        assertThat(ledger.undelivered()).isEmpty();
        assertThat(controlPlane.handled).isEmpty();
    }

    @Test
    void oneThatAnErrorEndsIsAnswered() throws Exception {
        fault = Optional.of(new StackOverflowError());
        Files.delete(directory.resolve("hold"));

        begin(0);

        patiently().until(() -> !controlPlane.handled.isEmpty());
        var handled = controlPlane.handled.getFirst();
        assertThat(handled.getStatus()).isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(handled.getOutput().toStringUtf8())
                .contains("an internal fault of the agent; see its log");
    }

    private List<Application> narrowed(
            RepositoryId repository, String commit, List<Application> all) {
        if (fault.isPresent()) throw fault.get();
        return all;
    }

    /// @param seconds its limit; the usual one when 0
    private void begin(int seconds) {
        previews.take(
                Command.newBuilder()
                        .setId("c1")
                        .setType(Command.Type.BUILD_PLAN_PREVIEW)
                        .setBuildPlanPreview(
                                Command.BuildPlanPreview.newBuilder()
                                        .setRepositoryId("demo")
                                        .setHeadCommit(head)
                                        .setBaseBranch("main")
                                        .setTimeout(seconds))
                        .build());
        if (seconds == 0) patiently().until(() -> Files.exists(directory.resolve("asked")));
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10));
    }

    private static final class Uncounted implements Previews.Counting {
        @Override
        public void received() {}

        @Override
        public void handled(boolean well, Duration took) {}
    }
}
