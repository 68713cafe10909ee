// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.notify.Event;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.Report;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationSyncState;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.piped.CreateDeploymentChainRequest;
import dev.pipecd.wire.piped.ReportApplicationSyncStateRequest;
import dev.pipecd.wire.piped.ReportCommandHandledRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TriggerTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");
    private static final String VALID =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Application
            spec:
              name: site
              pipeline:
                stages:
                  - name: WAIT
                    with: {duration: 1s}
            """;

    private static final String ON_OUT_OF_SYNC = "  trigger: {onOutOfSync: {disabled: false}}\n";

    @TempDir Path directory;

    private final List<Deployment> opened = new CopyOnWriteArrayList<>();
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final List<byte[]> chains = new CopyOnWriteArrayList<>();
    private final Map<String, Deployment> ended = new ConcurrentHashMap<>();
    private final List<Event> told = new CopyOnWriteArrayList<>();
    private final RecordingControlPlane controlPlane = new RecordingControlPlane();
    private volatile Duration ahead = Duration.ZERO;
    private GitRemote remote;
    private Ledger ledger;
    private Outbox outbox;
    private Repositories repositories;
    private Applications applications;
    private Trigger trigger;

    @BeforeEach
    void start() throws Exception {
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        InstantSource clock = () -> InstantSource.system().instant().plus(ahead);
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane, clock);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        clock);
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application("site")));
        trigger =
                new Trigger(
                        repositories,
                        new ApplicationFiles(repositories),
                        applications,
                        outbox,
                        new Opening(() -> UUID.randomUUID().toString(), clock, List.of())
                                .with(repositories, applications, this::open),
                        told::add,
                        id -> Optional.ofNullable(ended.get(id.value())));
    }

    private void open(Deployment deployment, List<Report> reports) {
        opened.add(deployment);
        calls.add(reports.stream().map(Report::call).toList());
        if (reports.getFirst().call().equals("CreateDeploymentChain"))
            chains.add(reports.getFirst().body());
    }

    @AfterEach
    void stop() throws Exception {
        repositories.close();
        outbox.close();
        ledger.close();
    }

    @Test
    void aBigChangeIsLeftForANewerOneAndGoneOnWithAfterIt() {
        applications.refresh(
                IntStream.range(0, 70).mapToObj(n -> application("site-" + n)).toList());
        remote.write("site/app.pipecd.yaml", VALID).commit("One file for all of them");

        trigger.look(DEMO, () -> true);
        assertThat(opened).hasSize(64);
        trigger.look(DEMO, () -> true);

        assertThat(opened).extracting(Deployment::getApplicationId).doesNotHaveDuplicates();
        assertThat(opened).hasSize(70);
    }

    @Test
    void theFirstCommitAndEachThatTouchesTheApplicationOpenOneDeployment() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);
        trigger.look(DEMO);
        remote.write("other/readme", "hello").commit("Touch something else");
        trigger.look(DEMO);
        var head = remote.write("site/index.html", "hello").commit("Say hello");
        trigger.look(DEMO);

        assertThat(opened).hasSize(2);
        assertThat(opened.getLast().getTrigger().getCommit().getHash()).isEqualTo(head);
        assertThat(opened.getLast().getTrigger().getCommit().getMessage()).isEqualTo("Say hello");
    }

    @Test
    void aBrokenFileIsToldOnTheApplicationOnceAndMendingItDeploys() {
        remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        trigger.look(DEMO);
        trigger.look(DEMO);
        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.states.size() == 1);
        remote.write("site/app.pipecd.yaml", VALID).commit("Mend it");
        trigger.look(DEMO);

        assertThat(controlPlane.states)
                .singleElement()
                .satisfies(state -> {
                    assertThat(state.getStatus()).isEqualTo(ApplicationSyncStatus.INVALID_CONFIG);
                    assertThat(state.getReason()).startsWith("site/app.pipecd.yaml:1:");
                });
        assertThat(opened).hasSize(1);
    }

    @Test
    void aCommitThatCannotBeDeployedIsNotifiedOnce() {
        var head = remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        trigger.look(DEMO);
        trigger.look(DEMO);

        assertThat(told)
                .singleElement()
                .isInstanceOfSatisfying(
                        Event.DeploymentTriggerFailed.class,
                        failed -> {
                            assertThat(failed.application().getName()).isEqualTo("site");
                            assertThat(failed.commit()).isEqualTo(head);
                            assertThat(failed.message()).isEqualTo("Break it");
                            assertThat(failed.reason()).startsWith("site/app.pipecd.yaml:1:");
                        });
    }

    @Test
    void aDeploymentCarriesWhomItsApplicationWantsToBeNamed() {
        remote.write(
                        "site/app.pipecd.yaml",
                        VALID
                                + "  notification: {mentions: [{event: DEPLOYMENT_FAILED, slackUsers: [U1], slackGroups: [G1]}]}\n")
                .commit("Add the site");
        trigger.look(DEMO);
        trigger.sync(sync("site"));

        assertThat(opened)
                .extracting(d -> d.getMetadataV2().getShared().getKeyValuesMap())
                .hasSize(2)
                .containsOnly(
                        Map.of(
                                "DeploymentNotification",
                                "{\"mentions\":[{\"event\":\"DEPLOYMENT_FAILED\",\"slackUsers\":[\"U1\"],\"slackGroups\":[\"G1\"]}]}"));
    }

    @Test
    void aRepositoryThatCannotBeReadIsToldOnItsApplications() throws Exception {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        remote.git("branch", "-m", "main", "trunk");

        assertThatThrownBy(() -> trigger.look(DEMO)).isInstanceOf(Problem.class);

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.states.size() == 1);
        assertThat(controlPlane.states.getFirst().getShortReason())
                .isEqualTo("the repository cannot be read");
        assertThat(opened).isEmpty();
    }

    @Test
    void aSyncDeploysTheHeadAgainForThePersonWhoOrderedIt() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);

        trigger.sync(sync("site"));

        assertThat(opened).hasSize(2);
        assertThat(opened.getLast().getTrigger().getCommander()).isEqualTo("ann");
    }

    @Test
    void aSyncOfAnApplicationThatIsNotOursFailsWithTheReason() {
        trigger.sync(sync("elsewhere"));

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 1);
        assertThat(controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(controlPlane.handled.getFirst().getMetadataMap())
                .containsEntry(
                        "Reason",
                        "application: elsewhere (expected: an enabled application of this agent)");
        assertThat(opened).isEmpty();
    }

    @Test
    void aCommitThatWasOnlyRewordedDeploysNothing() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);
        remote.git("commit", "--amend", "-m", "Add the site, said better");
        trigger.look(DEMO);

        assertThat(opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site");
    }

    @Test
    void aCommitThatBreaksTheFileOfADeployedApplicationFailsAsADeployment() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);
        var head = remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        trigger.look(DEMO);
        trigger.look(DEMO);

        assertThat(opened).hasSize(2);
        assertThat(opened.getLast().getTrigger().getCommit().getHash()).isEqualTo(head);
        assertThat(marks(opened.getLast())).isEqualTo(Map.of("pipecd/config-unreadable", "true"));
        // The deployment that fails is notified.
        assertThat(told).isEmpty();
    }

    @Test
    void aCommitElsewhereDeploysNothingOfAnApplicationWhoseFileIsBroken() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);
        remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        trigger.look(DEMO);
        remote.write("other/readme", "hello").commit("Touch something else");
        trigger.look(DEMO);

        assertThat(opened).hasSize(2);
    }

    @Test
    void aFileThatIsGoneFailsAsADeployment() {
        remote.write("site/app.pipecd.yaml", VALID)
                .write("site/index.html", "hello")
                .commit("Add the site");
        trigger.look(DEMO);
        remote.git("rm", "-q", "site/app.pipecd.yaml");
        remote.git("commit", "-q", "-m", "Lose the file");
        trigger.look(DEMO);

        assertThat(opened).hasSize(2);
    }

    @Test
    void byThePublicRuleACommitWithOneIgnoredFileDeploysNothing() {
        var on = "  trigger: {onCommit: {ignores: ['**/*.md'], ignoresByCommit: %s}}\n";
        remote.write("site/app.pipecd.yaml", VALID + on.formatted("true")).commit("Add the site");
        trigger.look(DEMO);
        remote.write("site/a.md", "a").write("site/a.html", "a").commit("Words and more");
        trigger.look(DEMO);
        assertThat(opened).hasSize(1);

        remote.write("site/app.pipecd.yaml", VALID + on.formatted("false")).commit("Ours");
        trigger.look(DEMO);
        remote.write("site/b.md", "b").write("site/b.html", "b").commit("Words and more");
        trigger.look(DEMO);
        assertThat(opened)
                .extracting(d -> d.getTrigger().getCommit().getMessage())
                .containsExactly("Add the site", "Ours", "Words and more");
    }

    @Test
    void whatAFileSaysInVainIsMarkedOnItsDeployments() {
        remote.write("site/app.pipecd.yaml", VALID + "  nmae: x\n  planner: {newestOnly: true}\n")
                .commit("Add the site");
        trigger.look(DEMO);

        assertThat(marks(opened.getFirst()))
                .isEqualTo(
                        Map.of(
                                "pipecd/newest-only",
                                "true",
                                "pipecd/warnings",
                                "site/app.pipecd.yaml:9:3: spec.nmae: nmae (ignored: not a known key; did you mean \"name\"?)"));
    }

    @Test
    void anApplicationWithAChainBeginsOne() throws Exception {
        remote.write(
                        "site/app.pipecd.yaml",
                        VALID
                                + "  postSync: {chain: {applications: [{name: next, kind: ECS, labels: {a: b}}]}}\n")
                .commit("Add the site");
        trigger.look(DEMO);

        assertThat(calls)
                .containsExactly(
                        List.of("CreateDeploymentChain", "ReportApplicationMostRecentDeployment"));
        var chain = CreateDeploymentChainRequest.parseFrom(chains.getFirst());
        assertThat(chain.getFirstDeployment()).isEqualTo(opened.getFirst());
        assertThat(chain.getMatchersList())
                .singleElement()
                .isEqualTo(
                        CreateDeploymentChainRequest.ApplicationMatcher.newBuilder()
                                .setName("next")
                                .setKind("ECS")
                                .putLabels("a", "b")
                                .build());
    }

    @Test
    void aChainDeploysTheHeadInItsBlockAndBeginsNoOtherChain() {
        remote.write(
                        "site/app.pipecd.yaml",
                        VALID
                                + "  trigger: {onChain: {disabled: false}}\n  postSync: {chain: {applications: [{name: next}]}}\n")
                .commit("Add the site");
        trigger.sync(chainSync());

        assertThat(opened)
                .singleElement()
                .satisfies(deployment -> {
                    assertThat(deployment.getDeploymentChainId()).isEqualTo("chain-1");
                    assertThat(deployment.getDeploymentChainBlockIndex()).isEqualTo(2);
                    assertThat(deployment.getTrigger().getCommander()).isEqualTo("chain-1");
                    assertThat(deployment.getStatusReason())
                            .isEqualTo("waiting for block 1 of its deployment chain");
                });
        assertThat(calls)
                .containsExactly(
                        List.of(
                                "CreateDeployment",
                                "ReportApplicationMostRecentDeployment",
                                "ReportCommandHandled"));
    }

    @Test
    void anApplicationThatTakesPartInNoChainRefusesWithTheReason() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.sync(chainSync());

        await().atMost(Duration.ofMinutes(1)).until(() -> controlPlane.handled.size() == 1);
        assertThat(controlPlane.handled.getFirst().getStatus())
                .isEqualTo(CommandStatus.COMMAND_FAILED);
        assertThat(controlPlane.handled.getFirst().getMetadataMap())
                .containsEntry(
                        "Reason",
                        "trigger.onChain.disabled: true (expected: false for a deployment by a chain)");
        assertThat(opened).isEmpty();
    }

    @Test
    void anApplicationOfARepositoryThatNobodyWatchesSaysSoOnce() {
        var stray = application("stray").toBuilder();
        stray.getGitPathBuilder().getRepoBuilder().setId("other");
        applications.refresh(List.of(application("site"), stray.build()));
        trigger.tellStrays();
        trigger.tellStrays();

        await().atMost(Duration.ofMinutes(1)).until(() -> outbox.waiting() == 0);
        assertThat(controlPlane.states)
                .singleElement()
                .satisfies(state ->
                        assertThat(state.getReason())
                                .isEqualTo(
                                        "repository: \"other\" (expected: one of [demo]). Add it to `repositories` of the agent's configuration, or correct the application."));
    }

    @Test
    void aSyncOfWhatCannotBeReadIsADeploymentThatWillSayWhy() {
        remote.write("site/app.pipecd.yaml", "kind: [").commit("Break it");
        trigger.sync(sync("site"));

        assertThat(opened).hasSize(1);
        assertThat(marks(opened.getFirst())).containsKey("pipecd/config-unreadable");
    }

    @Test
    void anApplicationOutOfSyncIsDeployedAgainOnceItsWindowIsOver() {
        var deployed = deployOutOfSync();

        ahead = Duration.ofMinutes(4);
        trigger.look(DEMO);
        assertThat(opened).hasSize(1);
        ahead = Duration.ofMinutes(6);
        trigger.look(DEMO);
        trigger.look(DEMO);

        assertThat(opened).hasSize(2);
        assertThat(opened.getLast().getTrigger().getStrategySummary())
                .isEqualTo("the application was out of sync");
        assertThat(opened.getLast().getId()).isNotEqualTo(deployed.getId());
    }

    @Test
    void aStateThatIsOlderThanTheLastDeploymentDeploysNothing() {
        var deployed = deployOutOfSync();
        var later = deployed.toBuilder().setCompletedAt(deployed.getCompletedAt() + 60).build();
        ended.put(deployed.getId(), later);

        ahead = Duration.ofMinutes(10);
        trigger.look(DEMO);

        assertThat(opened).hasSize(1);
    }

    @Test
    void whatFailedDoesNotComeBackByItself() {
        remote.write("site/app.pipecd.yaml", VALID + ON_OUT_OF_SYNC).commit("Add the site");
        trigger.look(DEMO);
        applications.refresh(List.of(outOfSync()));

        ahead = Duration.ofHours(1);
        trigger.look(DEMO);

        assertThat(opened).hasSize(1);
    }

    @Test
    void withoutTheWishAnApplicationStaysOutOfSync() {
        remote.write("site/app.pipecd.yaml", VALID).commit("Add the site");
        trigger.look(DEMO);
        succeed(opened.getFirst());
        applications.refresh(List.of(outOfSync()));

        ahead = Duration.ofHours(1);
        trigger.look(DEMO);

        assertThat(opened).hasSize(1);
    }

    private Deployment deployOutOfSync() {
        remote.write("site/app.pipecd.yaml", VALID + ON_OUT_OF_SYNC).commit("Add the site");
        trigger.look(DEMO);
        var deployed = succeed(opened.getFirst());
        applications.refresh(List.of(outOfSync()));
        return deployed;
    }

    private Deployment succeed(Deployment deployment) {
        applications.succeeded(deployment);
        var over =
                deployment.toBuilder()
                        .setStatus(DeploymentStatus.DEPLOYMENT_SUCCESS)
                        .setCompletedAt(deployment.getCreatedAt())
                        .build();
        ended.put(over.getId(), over);
        return over;
    }

    private static Application outOfSync() {
        return application("site").toBuilder()
                .setSyncState(
                        ApplicationSyncState.newBuilder()
                                .setStatus(ApplicationSyncStatus.OUT_OF_SYNC)
                                .setTimestamp(InstantSource.system().instant().getEpochSecond()))
                .build();
    }

    private static Map<String, String> marks(Deployment deployment) {
        return deployment.getMetadataV2().getShared().getKeyValuesMap();
    }

    private static Command chainSync() {
        return Command.newBuilder()
                .setId("c1")
                .setApplicationId("site")
                .setCommander("chain-1")
                .setType(Command.Type.CHAIN_SYNC_APPLICATION)
                .setChainSyncApplication(
                        Command.ChainSyncApplication.newBuilder()
                                .setDeploymentChainId("chain-1")
                                .setBlockIndex(2)
                                .setApplicationId("site"))
                .build();
    }

    private static Command sync(String application) {
        return Command.newBuilder()
                .setId("c1")
                .setApplicationId(application)
                .setCommander("ann")
                .setType(Command.Type.SYNC_APPLICATION)
                .build();
    }

    private static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName("site")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath("site")
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }

    private static final class RecordingControlPlane implements Outbox.Sender {
        private final List<ApplicationSyncState> states = new CopyOnWriteArrayList<>();
        private final List<ReportCommandHandledRequest> handled = new CopyOnWriteArrayList<>();

        @Override
        public void send(String call, byte[] body) throws Outbox.Refused {
            try {
                if (call.equals("ReportApplicationSyncState"))
                    states.add(ReportApplicationSyncStateRequest.parseFrom(body).getState());
                if (call.equals("ReportCommandHandled"))
                    handled.add(ReportCommandHandledRequest.parseFrom(body));
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw new Outbox.Refused("not a message: " + e.getMessage());
            }
        }
    }
}
