// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.GitBinary;
import dev.pipecd.agent.source.GitRemote;
import dev.pipecd.agent.source.Repositories;
import dev.pipecd.agent.source.Repository;
import dev.pipecd.config.ApplicationConfig.SkipOn;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Commit;
import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentTrigger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SkipRuleTest {
    private static final RepositoryId DEMO = new RepositoryId("demo");

    @TempDir static Path directory;

    private static Repositories repositories;
    private static String before;
    private static String docs;
    private static String code;

    @BeforeAll
    static void commit() throws Exception {
        var remote = GitRemote.init(Files.createDirectories(directory.resolve("remote")));
        before = remote.write("site/index.html", "hello").commit("Say hello");
        docs = remote.write("docs/a.md", "a").write("README.md", "read").commit("docs: say more");
        code = remote.write("site/index.html", "bye").commit("Say bye");
        repositories =
                new Repositories(
                        directory.resolve("mirrors"),
                        List.of(new Repository(DEMO, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(directory.resolve("git"))),
                        InstantSource.system());
        repositories.fetch(DEMO);
    }

    @AfterAll
    static void stop() {
        repositories.close();
    }

    @Test
    void aMessageThatBeginsAsWrittenSkipsAlsoTheFirstDeployment() {
        var rule = rule(List.of("chore:", "docs:"), List.of());

        assertThat(rule.reason(deployment("", docs, "docs: say more")))
                .hasValue("skipped: the commit message begins with \"docs:\"");
        assertThat(rule.reason(deployment("", docs, "Say more\n\ndocs: here"))).isEmpty();
    }

    @Test
    void everyChangedFileMustBeNamed() {
        var rule = rule(List.of(), List.of("docs/**", "*.md"));

        assertThat(rule.reason(deployment(before, docs, "")))
                .hasValue("skipped: skipOn.paths names all 2 changed file(s)");
        assertThat(rule.reason(deployment(before, code, ""))).isEmpty();
    }

    @Test
    void whatCannotBeComparedIsNotSkipped() {
        var rule = rule(List.of(), List.of("**"));

        assertThat(rule.reason(deployment("", docs, ""))).isEmpty();
        assertThat(rule.reason(deployment(docs, docs, ""))).isEmpty();
        assertThat(rule.reason(deployment("0".repeat(40), docs, ""))).isEmpty();
    }

    @Test
    void aPatternThatIsNoneIsToldWithItsSetting() {
        assertThatThrownBy(() ->
                        rule(List.of(), List.of("docs/[")).reason(deployment(before, docs, "")))
                .hasMessageStartingWith("skipOn.paths: \"docs/[\"");
    }

    private static SkipRule rule(List<String> prefixes, List<String> paths) {
        return new SkipRule(new SkipOn(prefixes, paths), repositories);
    }

    private static Deployment deployment(String running, String commit, String message) {
        return Deployment.newBuilder()
                .setGitPath(
                        ApplicationGitPath.newBuilder()
                                .setRepo(ApplicationGitRepository.newBuilder().setId(DEMO.value())))
                .setRunningCommitHash(running)
                .setTrigger(
                        DeploymentTrigger.newBuilder()
                                .setCommit(Commit.newBuilder().setHash(commit).setMessage(message)))
                .build();
    }
}
