// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationSyncStatus;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What people commit by mistake: it is told where they look, and nothing else is changed by it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
final class BadConfigTest {
    private static final String GOOD = Sample.pipeline().script("echo fine").yaml("good");

    private Installation at;
    private GitRepository empty;
    private GitRepository vanishing;
    private GitRepository rewritten;
    private GitRepository ringing;

    @BeforeAll
    void open() {
        at = Installation.open();
        empty = repository("empty");
        vanishing = repository("vanishing");
        vanishing.commit("app/app.pipecd.yaml", GOOD, "Begin");
        rewritten = repository("rewritten");
        rewritten.commit("app/app.pipecd.yaml", GOOD, "Begin");
        ringing = repository("ringing");
        ringing.commit("app/app.pipecd.yaml", GOOD, "Begin");
        at.agent().terminate();
        at.writePipedConfig(
                """
                    - {repoId: nowhere, remote: /no/such/repository, branch: main}
                    - {repoId: empty, remote: %s, branch: main}
                    - {repoId: vanishing, remote: %s, branch: main}
                    - {repoId: rewritten, remote: %s, branch: main}
                    - {repoId: ringing, remote: %s, branch: main}
                """
                        .formatted(
                                empty.directory(),
                                vanishing.directory(),
                                rewritten.directory(),
                                ringing.directory()));
        at.startAgent();
    }

    private GitRepository repository(String name) {
        return new GitRepository(at.dir().resolve(name), at.uri()).create();
    }

    @AfterAll
    void close() throws Exception {
        at.close();
    }

    @AfterEach
    void othersAreStillDeployed(TestInfo test) {
        var name = "other-" + Integer.toHexString(test.getDisplayName().hashCode());
        var app = at.add(name, Sample.pipeline().script("echo fine"));
        assertThat(App.told(app.awaitEnd(app.first()))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    enum Mistake {
        BROKEN_YAML("apiVersion: pipecd.dev/v1beta1\nkind: [Application\n", "app.pipecd.yaml:"),
        UNKNOWN_KIND(GOOD.replace("kind: Application", "kind: Aplication"), "Aplication"),
        NO_KIND("name: nothing\n", "kind"),
        ALIAS_BOMB(bomb(), "alias"),
        FIFTY_MEGABYTES(GOOD + "#".repeat(50 << 20), "expected: at most"),
        NOT_TEXT("\0\1\2\3", "app.pipecd.yaml");

        private final String yaml;
        private final String told;

        Mistake(String yaml, String told) {
            this.yaml = yaml;
            this.told = told;
        }

        private static String bomb() {
            var text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
            for (var i = 1; i < 12; i++)
                text.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(9)));
            return text.toString();
        }
    }

    @ParameterizedTest(name = "{0} in the configuration")
    @EnumSource
    void aMistakeIsToldAtTheApplicationAndMendedByTheNextCommit(Mistake mistake) {
        var name = "mistake-" + mistake.name().toLowerCase(Locale.ROOT).replace('_', '-');
        var app = at.add(name, mistake.yaml);

        var seen = invalid(app);

        assertThat(seen.getSyncState().getReason())
                .contains("app.pipecd.yaml")
                .contains(mistake.told);
        assertThat(at.person().deployments(app.id())).isEmpty();
        app.push("app.pipecd.yaml", GOOD, "Mend it");
        assertThat(App.told(app.awaitEnd(app.first()))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    @Test
    void aMissingFileIsToldAtTheApplication() {
        at.repository().commit("fileless/README.md", "nothing here", "Add a folder");
        var app = at.register("fileless", "fileless", "samples");

        assertThat(invalid(app).getSyncState().getReason())
                .startsWith("fileless/app.pipecd.yaml: no such file in commit ")
                .endsWith("Add the file, or correct the application's path and file name.");
    }

    @Test
    void aStageThatNobodyKnowsEndsTheDeploymentWithItsName() {
        planFails("NO_SUCH_STAGE");
    }

    @Test
    void aStageOfAPluginThatIsNotThereEndsTheDeploymentWithItsName() {
        planFails("K8S_CANARY_ROLLOUT");
    }

    private void planFails(String stage) {
        var name = stage.toLowerCase(Locale.ROOT).replace('_', '-');
        var yaml = Sample.pipeline().script(App.marking(at, name, "ran")).with("- name: " + stage);
        var app = at.add(name, yaml);

        var ended = app.awaitEnd(app.first());

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE Failed");
        assertThat(ended.getStatusReason())
                .contains("\"" + stage + "\"")
                .contains("expected: one of")
                .contains("plugins:");
        assertThat(app.marks()).isEmpty();
    }

    @Test
    void badOptionsEndTheDeploymentBeforeItsFirstStage() {
        var yaml =
                Sample.pipeline()
                        .script(App.marking(at, "options", "ran"))
                        .waiting("for-ever")
                        .yaml("options");
        var app = at.add("options", yaml);

        var ended = app.awaitEnd(app.first());

        assertThat(App.told(ended)).isEqualTo("DEPLOYMENT_FAILURE Failed");
        assertThat(ended.getStatusReason()).contains("duration").contains("for-ever");
        assertThat(app.marks()).isEmpty();
    }

    @Test
    void aLinkThatLeavesTheRepositoryIsNotFollowed() {
        at.repository().write("links/README.md", "a link is beside me");
        Shell.run(at.repository().directory().resolve("links"), "ln", "-s", "/etc", "out");
        at.repository().commit("links/README.md", "a link is beside me", "Begin links");
        at.repository().git("add", "links/out");
        at.repository().git("commit", "--quiet", "-m", "Link out");
        var app = at.register("links", "links/out", "samples");

        assertThat(invalid(app).getSyncState().getReason()).contains("links/out");
        assertThat(at.person().deployments(app.id())).isEmpty();
    }

    @Test
    void oneUnreachableRepositoryPreventsNeitherTheStartNorTheOthersDeployments() {
        var app = at.register("nowhere", "app", "nowhere");

        var seen =
                app.await(
                        "telling that the repository cannot be reached",
                        a -> !a.getSyncState().getReason().isEmpty());

        assertThat(seen.getSyncState().getReason())
                .startsWith("repository nowhere: /no/such/repository: ");
    }

    @Test
    void aBranchThatVanishedIsToldAndNothingIsDeployedUntilItIsBack() {
        var app = at.register("vanished", "app", "vanishing");
        var first = app.awaitEnd(app.first());
        assertThat(App.told(first)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");

        vanishing.git("branch", "--move", "main", "elsewhere");
        vanishing.tell();

        var seen =
                app.await(
                        "telling that the branch is gone",
                        a -> a.getSyncState().getStatus() == ApplicationSyncStatus.UNKNOWN);
        assertThat(seen.getSyncState().getReason()).contains("main").contains("branch");
        vanishing.git("branch", "--move", "elsewhere", "main");
        vanishing.commit("app/file", "changed", "Change it");
        vanishing.tell();
        assertThat(App.told(app.awaitEnd(app.after(first))))
                .isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    @Test
    void aRewrittenHistoryIsDeployedAnew() {
        rewritten.commit("app/file", "one", "Second");
        rewritten.tell();
        var app = at.register("rewritten", "app", "rewritten");
        var first = app.awaitEnd(app.first());

        rewritten.git("checkout", "--quiet", "--orphan", "fresh");
        var head = rewritten.commit("app/file", "two", "All in one");
        rewritten.git("branch", "--force", "--move", "fresh", "main");
        rewritten.git("reflog", "expire", "--expire=now", "--all");
        rewritten.git("gc", "--quiet", "--prune=now");
        rewritten.tell();

        var second = app.awaitEnd(app.after(first));
        assertThat(App.told(second)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(second.getTrigger().getCommit().getHash()).isEqualTo(head);
    }

    @Test
    void anEmptyRepositoryIsToldAndItsFirstCommitDeployed() {
        var app = at.register("empty", "app", "empty");
        empty.tell();

        var seen =
                app.await(
                        "telling that the repository is empty",
                        a -> !a.getSyncState().getReason().isEmpty());
        assertThat(seen.getSyncState().getReason()).contains("empty");
        empty.commit("app/app.pipecd.yaml", GOOD, "First");
        empty.tell();
        assertThat(App.told(app.awaitEnd(app.first()))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    @Test
    void controlCharactersInACommitMessageReachNoTerminal() {
        // of its own: in a shared one somebody else's commit may be the newest by the time it is
        // seen
        var app = at.register("bells", "app", "ringing");
        var first = app.awaitEnd(app.first());

        ringing.commit("app/file", "changed", "Ring \u0007 and \u001b[31mred\u001b[0m \u202e.txt");
        ringing.tell();

        var second = app.awaitEnd(app.after(first));
        assertThat(App.told(second)).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
        assertThat(second.getTrigger().getCommit().getMessage()).startsWith("Ring");
        var listed = at.pipectl("deployment", "list", "--app-id", app.id(), "-o", "json");
        assertThat(listed.output())
                .contains("Ring")
                .doesNotContain("\u0007")
                .doesNotContain("\u001b")
                .doesNotContain("\u202e");
        assertThat(listed.code()).isZero();
    }

    private Application invalid(App app) {
        return at.await(
                app.name() + " being told to be invalid",
                () ->
                        Optional.of(app.seen())
                                .filter(a ->
                                        a.getSyncState().getStatus()
                                                == ApplicationSyncStatus.INVALID_CONFIG));
    }
}
