// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.journal.Ledger;
import dev.pipecd.agent.plugin.PlanPreviews.Change;
import dev.pipecd.agent.report.Applications;
import dev.pipecd.agent.report.Outbox;
import dev.pipecd.agent.report.SmallControlPlane;
import dev.pipecd.agent.source.ApplicationFiles;
import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.domain.CommandId;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ApplicationPlanPreviewResult;
import dev.pipecd.wire.model.Command;
import dev.pipecd.wire.model.CommandStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PreviewsTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir Path directory;

    private final ScriptedAsking asking = new ScriptedAsking();
    private SmallControlPlane controlPlane;
    private GitRemote remote;
    private Ledger ledger;
    private Outbox outbox;
    private Repositories repositories;
    private Applications applications;
    private Preview preview;
    private Previews previews;
    private String beyondReach = "";
    private final RecordingCounting counted = new RecordingCounting();

    @BeforeEach
    void start() throws Exception {
        controlPlane = SmallControlPlane.open();
        remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        remote.write("one/app.pipecd.yaml", file("one"))
                .write("two/app.pipecd.yaml", file("two"))
                .write("two/list", "a\nb\nc\nd\ne\nf\n")
                .commit("Begin");
        var clock = (java.time.InstantSource) () -> Instant.ofEpochSecond(1_000);
        ledger = Ledger.open(directory.resolve("journal"));
        outbox = new Outbox(ledger, controlPlane.client(), clock);
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        clock);
        applications = new Applications(directory.resolve("applications"));
        applications.refresh(List.of(application("one"), application("two")));
        preview =
                new Preview(
                        repositories,
                        new ApplicationFiles(repositories),
                        applications,
                        this::narrowed,
                        asking,
                        clock);
        previews =
                new Previews(
                        preview,
                        outbox,
                        new PipedConfig.PlanPreview(
                                3, 10, Duration.ofSeconds(5), Duration.ofMinutes(5)),
                        counted,
                        clock);
    }

    @AfterEach
    void stop() throws Exception {
        previews.close();
        repositories.close();
        outbox.close();
        ledger.close();
        controlPlane.close();
    }

    @Test
    void theAnswerHasThePublicFormAndNamesOnlyWhatTheChangeTouches() throws Exception {
        asking.changes = List.of(new Change("fake", "here", "1 to add", false, "+ x", ""));
        var head = onBranch("change", "one/index.html", "hello");

        previews.take(order(head, "main"));

        var answer = answer(CommandStatus.COMMAND_SUCCEEDED);
        assertThat(answer.toString())
                .isEqualTo(
                        new ObjectMapper()
                                .readTree(
                                        """
                                        {"command_id":"c1","piped_id":"p1","results":[{
                                          "application_id":"one","application_name":"one",
                                          "application_directory":"one","piped_id":"p1",
                                          "project_id":"ours","labels":{"env":"prod"},
                                          "head_branch":"change","head_commit":"%s",
                                          "sync_strategy":1,
                                          "plan_summary":"%s",
                                          "plugin_plan_results":[{"plugin_name":"fake",
                                            "deploy_target":"here","plan_summary":"%s",
                                            "plan_details":"%s","diff_language":"diff"}],
                                          "plugin_names":["fake"],"created_at":1000}]}
                                        """
                                                .formatted(
                                                        head,
                                                        base64(
                                                                "quick sync: no pipeline is configured"),
                                                        base64("1 to add"),
                                                        base64("+ x")))
                                .toString());
        assertThat(asking.done).containsExactly("preview-one");
    }

    @Test
    void whatTheChangeCannotConcernIsNotLookedAt() throws Exception {
        beyondReach = "two";
        remote.git("checkout", "--quiet", "-b", "change");
        remote.write("one/x", "1").write("two/x", "1");
        var head = remote.commit("Change both");
        remote.git("checkout", "--quiet", "main");

        previews.take(order(head, "main"));

        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).get("results")).hasSize(1);
        assertThat(asking.done).containsExactly("preview-one");
    }

    private List<Application> narrowed(
            RepositoryId repository, String commit, List<Application> all) {
        return all.stream().filter(a -> !a.getName().equals(beyondReach)).toList();
    }

    @Test
    void nothingChangesWhenEveryTargetSaysSo() throws Exception {
        asking.changes =
                List.of(
                        new Change("fake", "here", "none", true, "", ""),
                        new Change("fake", "there", "none", true, "", ""));
        previews.take(order(onBranch("change", "one/index.html", "hello"), "main"));

        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0/no_change").asBoolean())
                .isTrue();
    }

    /// A stage that waits has no targets and nothing to tell; a platform that tells nothing has.
    @Test
    void whoHasTargetsAndTellsNothingMayChangeThem() throws Exception {
        asking.changes = List.of(new Change("fake", "here", "none", true, "", ""));
        asking.plugins = List.of("fake", "silent");
        asking.targetsOf = List.of("fake");
        previews.take(order(onBranch("change", "one/index.html", "hello"), "main"));
        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0/no_change").asBoolean())
                .isTrue();

        controlPlane.handled.clear();
        asking.targetsOf = List.of("fake", "silent");
        previews.take(order(remote.git("rev-parse", "change"), "main"));
        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0").has("no_change"))
                .isFalse();
    }

    @Test
    void aTargetOfWhichNothingIsToldMayChange() throws Exception {
        asking.targetsOf = List.of("fake");
        asking.targets = List.of("here", "there");
        var head = onBranch("change", "one/index.html", "hello");

        assertThat(saysNoChange(head, "here")).isFalse();
        assertThat(saysNoChange(head, "here", "here")).isFalse();
        assertThat(saysNoChange(head, "here", "there")).isTrue();
        // Results that name no target.
        assertThat(saysNoChange(head, "")).isFalse();
        assertThat(saysNoChange(head, "", "")).isTrue();
        asking.targets = List.of("here");
        assertThat(saysNoChange(head, "")).isTrue();
    }

    private boolean saysNoChange(String head, String... told) throws Exception {
        asking.changes =
                Stream.of(told)
                        .map(target -> new Change("fake", target, "none", true, "", ""))
                        .toList();
        controlPlane.handled.clear();
        patiently().until(() -> previews.underWay().isEmpty());
        previews.take(order(head, "main"));
        return answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0/no_change").asBoolean();
    }

    @Test
    void ofManyApplicationsNoMoreIsKeptThanAnAnswerCarries() throws Exception {
        asking.changes =
                List.of(new Change("fake", "here", "1 to add", false, "x".repeat(1_000_000), ""));
        remote.git("checkout", "--quiet", "-b", "change");
        var many = new ArrayList<Application>();
        for (var i = 0; i < 60; i++) {
            many.add(application("a" + i));
            remote.write("a%d/app.pipecd.yaml".formatted(i), file("a" + i));
        }
        var head = remote.commit("Add many");
        remote.git("checkout", "--quiet", "main");
        applications.refresh(many);

        var results = preview.of(order(head, "main").getBuildPlanPreview());

        assertThat(results)
                .extracting(ApplicationPlanPreviewResult::getApplicationId)
                .containsExactlyElementsOf(many.stream().map(Application::getId).toList());
        assertThat(results.stream().flatMapToInt(Brevity::sizes).sum()).isLessThan(4_000_000);
    }

    @Test
    void whereOneTargetChangesOrNobodyTellsSomethingMayChange() throws Exception {
        asking.changes =
                List.of(
                        new Change("fake", "here", "none", true, "", ""),
                        new Change("fake", "there", "1 to add", false, "", ""));
        previews.take(order(onBranch("change", "one/index.html", "hello"), "main"));
        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0").has("no_change"))
                .isFalse();

        controlPlane.handled.clear();
        asking.changes = List.of();
        previews.take(order(remote.git("rev-parse", "change"), "main"));
        assertThat(answer(CommandStatus.COMMAND_SUCCEEDED).at("/results/0").has("no_change"))
                .isFalse();
    }

    @Test
    void whatIsPlannedIsTheMergeOfBothAndCarriesTheWordsOfTheChange() throws Exception {
        var head = onBranch("change", "two/list", "a\nb\nc\nd\ne\nF\n");
        remote.write("two/list", "A\nb\nc\nd\ne\nf\n").commit("Go on meanwhile");

        previews.take(order(head, "main"));

        answer(CommandStatus.COMMAND_SUCCEEDED);
        var merged = asking.opened.getFirst();
        assertThat(merged.subject()).isEqualTo("Change two/list");
        assertThat(merged.hash()).isNotEqualTo(head);
        assertThat(repositories.read(DEMO, merged.hash(), "two/list", 100))
                .hasValueSatisfying(
                        bytes -> assertThat(bytes).asString().isEqualTo("A\nb\nc\nd\ne\nF\n"));
    }

    @Test
    void aChangeThatDoesNotMergeIsToldWithTheFile() throws Exception {
        var head = onBranch("change", "two/list", "X\nb\nc\n");
        remote.write("two/list", "Y\nb\nc\n").commit("Go on meanwhile");

        previews.take(order(head, "main"));

        assertThat(answer(CommandStatus.COMMAND_FAILED).get("error").asText())
                .contains("has conflicts in two/list (expected: a change that merges)");
    }

    @Test
    void whatCannotBePlannedIsToldForThatApplicationAlone() throws Exception {
        asking.brokenPlan = "one";
        remote.git("checkout", "--quiet", "-b", "change");
        remote.write("one/x", "x").write("two/x", "x").commit("Change both");
        var head = remote.git("rev-parse", "HEAD");
        remote.git("checkout", "--quiet", "main");

        previews.take(order(head, "main"));

        var results = answer(CommandStatus.COMMAND_SUCCEEDED).get("results");
        assertThat(results).hasSize(2);
        assertThat(results.get(0).get("error").asText()).startsWith("stage: \"NOPE\"");
        assertThat(results.get(0).get("plugin_names").get(0).asText()).isEqualTo("<unknown>");
        assertThat(results.get(1).get("sync_strategy").asInt()).isEqualTo(1);
        assertThat(asking.done).containsExactlyInAnyOrder("preview-one", "preview-two");
    }

    @Test
    void aFileTheChangeBreaksIsToldAndOneThatWasBrokenBeforeIsNot() throws Exception {
        remote.write("two/app.pipecd.yaml", "kind: [").commit("Break two");
        var head = onBranch("change", "one/app.pipecd.yaml", "kind: [");

        previews.take(order(head, "main"));

        var results = answer(CommandStatus.COMMAND_SUCCEEDED).get("results");
        assertThat(results).hasSize(1);
        assertThat(results.get(0).get("application_id").asText()).isEqualTo("one");
        assertThat(results.get(0).get("error").asText()).startsWith("one/app.pipecd.yaml:1:");
    }

    @Test
    void anotherBaseBranchAndACommitThatIsNotThereAreRefused() throws Exception {
        previews.take(order(onBranch("change", "one/x", "x"), "release"));
        assertThat(answer(CommandStatus.COMMAND_FAILED).get("error").asText())
                .startsWith(
                        "base branch: \"release\" (expected: \"main\", which this agent deploys)");

        controlPlane.handled.clear();
        previews.take(order("0123456789012345678901234567890123456789", "main"));
        assertThat(answer(CommandStatus.COMMAND_FAILED).get("error").asText())
                .startsWith("head commit: \"0123456789012345678901234567890123456789\"");
    }

    @Test
    void oneThatIsNotOrderedAnyMoreIsCalledOffAndNotAnswered() throws Exception {
        asking.mayAnswer = new CountDownLatch(1);
        previews.take(order(onBranch("change", "one/x", "x"), "main"));
        asking.asked.await();
        var begun = previews.underWay();

        previews.keep(begun, List.of(order("x", "main")));
        assertThat(previews.underWay()).containsExactly(new CommandId("c1"));
        previews.keep(begun, List.of());

        patiently().until(() -> previews.underWay().isEmpty());
        assertThat(asking.done).containsExactly("preview-one");
        assertThat(ledger.undelivered()).isEmpty();
        assertThat(controlPlane.handled).isEmpty();
    }

    @Test
    void oneThatTakesTooLongIsEndedAndTold() throws Exception {
        asking.mayAnswer = new CountDownLatch(1);
        previews.take(
                order(onBranch("change", "one/x", "x"), "main").toBuilder()
                        .setBuildPlanPreview(
                                order(remote.git("rev-parse", "change"), "main")
                                        .getBuildPlanPreview()
                                        .toBuilder()
                                        .setTimeout(1))
                        .build());

        assertThat(answer(CommandStatus.COMMAND_FAILED).get("error").asText())
                .isEqualTo("no result within the time limit of the preview");
    }

    @Test
    void oneThatTheAgentsEndBrokeOffIsLeftToTheNextAgent() throws Exception {
        asking.mayAnswer = new CountDownLatch(1);
        previews.take(order(onBranch("change", "one/x", "x"), "main"));
        asking.asked.await();

        previews.close();

        patiently().until(() -> previews.underWay().equals(Set.of()));
        assertThat(ledger.undelivered()).isEmpty();
    }

    @Test
    void eachOneAndHowItEndedIsCounted() throws Exception {
        var head = onBranch("change", "one/index.html", "hello");
        previews.take(order(head, "main"));
        patiently().until(() -> counted.told.size() == 2);
        previews.take(order(head, "other").toBuilder().setId("another").build());

        patiently().until(() -> counted.told.size() == 4);
        assertThat(counted.told)
                .containsExactly("received", "well in PT0S", "received", "not well in PT0S");
    }

    private static final class RecordingCounting implements Previews.Counting {
        private final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void received() {
            told.add("received");
        }

        @Override
        public void handled(boolean well, Duration took) {
            told.add((well ? "well in " : "not well in ") + took);
        }
    }

    private JsonNode answer(CommandStatus status) throws Exception {
        patiently().until(() -> controlPlane.handled.size() == 1);
        var handled = controlPlane.handled.getFirst();
        assertThat(handled.getStatus()).isEqualTo(status);
        return new ObjectMapper().readTree(handled.getOutput().toByteArray());
    }

    private String onBranch(String branch, String path, String content) {
        remote.git("checkout", "--quiet", "-b", branch);
        var head = remote.write(path, content).commit("Change " + path);
        remote.git("checkout", "--quiet", "main");
        return head;
    }

    private static Command order(String head, String base) {
        return Command.newBuilder()
                .setId("c1")
                .setPipedId("p1")
                .setType(Command.Type.BUILD_PLAN_PREVIEW)
                .setBuildPlanPreview(
                        Command.BuildPlanPreview.newBuilder()
                                .setRepositoryId("demo")
                                .setHeadBranch("change")
                                .setHeadCommit(head)
                                .setBaseBranch(base))
                .build();
    }

    private static Application application(String id) {
        return Application.newBuilder()
                .setId(id)
                .setName(id)
                .setPipedId("p1")
                .setProjectId("ours")
                .putLabels("env", "prod")
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId("demo"))
                                .setPath(id)
                                .setConfigFilename("app.pipecd.yaml"))
                .build();
    }

    private static String file(String name) {
        return """
        apiVersion: pipecd.dev/v1beta1
        kind: Application
        spec:
          name: %s
        """
                .formatted(name);
    }

    private static String base64(String text) {
        return Base64.getEncoder()
                .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10));
    }
}
