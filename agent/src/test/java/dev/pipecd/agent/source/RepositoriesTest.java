// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoriesTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final Instant NOON = Instant.parse("2026-11-15T12:00:00Z");

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        repositories = open(remote.address());
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void aFetchTellsTheHeadOfTheConfiguredBranch() {
        var hash =
                remote.write("app/app.pipecd.yaml", "x")
                        .commit("Add the app\n\nWith a body.\nTwo lines.");

        var head = repositories.fetch(ID);

        assertThat(head)
                .returns(hash, Commit::hash)
                .returns("Add the app", Commit::subject)
                .returns("With a body.\nTwo lines.", Commit::body)
                .returns("Ann", Commit::author)
                .returns("main", Commit::branch);
        assertThat(repositories.head(ID)).hasValue(head);
        assertThat(repositories.health()).containsEntry(ID, new Health.Fetched(head, NOON));
    }

    @Test
    void aSecondFetchSeesTheNextCommitAtOnce() {
        remote.write("a", "1").commit("one");
        repositories.fetch(ID);

        for (var i = 2; i < 8; i++) {
            var hash = remote.write("a", "" + i).commit("next");
            assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
        }
    }

    @Test
    void theHeadIsKnownWithoutNetworkAfterARestart() throws IOException {
        var hash = remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        repositories.close();
        Folder.delete(remote.folder);

        repositories = open(remote.address());

        assertThat(repositories.head(ID)).map(Commit::hash).hasValue(hash);
    }

    @Test
    void beforeTheFirstFetchNothingIsKnown() {
        assertThat(repositories.head(ID)).isEmpty();
        assertThat(repositories.health().get(ID)).isEqualTo(new Health.NotFetchedYet());
        assertProblem(
                () -> repositories.branches(ID),
                Problem.Code.REPOSITORY_UNREACHABLE,
                "repository demo: no mirror yet (expected: a first fetch)");
    }

    @Test
    void anEmptyRepositoryIsToldAndRecoversWithItsFirstCommit() {
        assertProblem(
                () -> repositories.fetch(ID),
                Problem.Code.REPOSITORY_EMPTY,
                "repository demo: %s has no commit (expected: branch main)"
                        .formatted(remote.address()));

        var hash = remote.write("a", "1").commit("one");
        assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
    }

    @Test
    void aVanishedBranchIsToldWithTheBranchesThereAre() {
        remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        remote.git("branch", "-m", "main", "trunk");

        assertProblem(
                () -> repositories.fetch(ID),
                Problem.Code.REPOSITORY_BRANCH_MISSING,
                "repository demo: no branch \"main\" (expected: one of trunk)");
        assertThat(repositories.health().get(ID)).isInstanceOf(Health.Failing.class);

        remote.git("branch", "-m", "trunk", "main");
        assertThat(repositories.fetch(ID).subject()).isEqualTo("one");
        assertThat(repositories.health().get(ID)).returns(true, Health::ok);
    }

    @Test
    void aVanishedRepositoryIsToldAndStaysReadable() throws IOException {
        var hash = remote.write("a", "1").commit("one");
        repositories.fetch(ID);
        Files.move(remote.folder, temp.resolve("elsewhere"));

        assertThatThrownBy(() -> repositories.fetch(ID))
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.code()).isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE);
                            assertThat(p.message())
                                    .startsWith("repository demo: " + remote.address() + ": ")
                                    .contains("does not appear to be a git repository")
                                    .endsWith("(expected: a remote that answers)");
                            assertThat(p.advice())
                                    .isEqualTo(
                                            "Check the address and that this machine may read it: git ls-remote "
                                                    + remote.address());
                        });
        assertThat(repositories.read(ID, hash, "a", 10)).contains("1".getBytes(UTF_8));

        Files.move(temp.resolve("elsewhere"), remote.folder);
        assertThat(repositories.fetch(ID).hash()).isEqualTo(hash);
    }

    @Test
    void oneUnreachableRepositoryStopsNeitherTheStartNorTheOthers() {
        var hash = remote.write("a", "1").commit("one");
        var gone = new RepositoryId("gone");
        var nowhere = "file://" + temp.resolve("nowhere");
        try (var both =
                new Repositories(
                        temp.resolve("both"),
                        List.of(
                                new Repository(gone, nowhere, "main"),
                                new Repository(ID, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                        InstantSource.fixed(NOON))) {
            assertThatThrownBy(() -> both.fetch(gone)).isInstanceOf(Problem.class);

            assertThat(both.fetch(ID).hash()).isEqualTo(hash);
            assertThat(both.head(gone)).isEmpty();
            assertThat(both.health().get(gone)).returns(false, Health::ok);
            assertThat(both.health().get(ID)).returns(true, Health::ok);
        }
    }

    @Test
    void aForcePushIsFollowedAndTheOldCommitStaysKnown() {
        remote.write("a", "1").commit("one");
        var old = remote.write("a", "2").commit("two");
        repositories.fetch(ID);
        remote.git("reset", "--quiet", "--hard", "HEAD~1");
        var rewritten = remote.write("b", "3").commit("other two");

        assertThat(repositories.fetch(ID).hash()).isEqualTo(rewritten);
        assertThat(repositories.contains(ID, old)).isTrue();
        assertThat(repositories.changedFiles(ID, old, rewritten))
                .isEqualTo(new ChangedFiles.Changed(List.of("a", "b")));
    }

    @Test
    void remotesThatAreOptionsOrProgramsAreRefused() {
        for (var bad :
                List.of("ext::sh -c touch% /tmp/x", "--upload-pack=touch /tmp/x", "", "a\nb"))
            try (var refusing = open(bad)) {
                assertThatThrownBy(() -> refusing.fetch(ID))
                        .isInstanceOfSatisfying(
                                Problem.class,
                                p -> assertThat(p.code()).isEqualTo(Problem.Code.SETTING_INVALID));
                assertThat(refusing.health().get(ID)).isInstanceOf(Health.Failing.class);
            }
    }

    @Test
    void passwordsInARemoteAreNeverShown() {
        try (var secret = open("https://ann:hunter2@localhost:1/x.git")) {
            assertThatThrownBy(() -> secret.fetch(ID))
                    .isInstanceOfSatisfying(
                            Problem.class,
                            p ->
                                    assertThat(p.told())
                                            .contains("https://localhost:1/x.git")
                                            .doesNotContain("hunter2"));
        }
    }

    @Test
    void aRemoteThatIsAShallowCloneIsFetchedAsFarAsItGoes() {
        remote.write("a", "1").commit("one");
        var second = remote.write("a", "2").commit("two");
        remote.git(
                "clone",
                "--quiet",
                "--bare",
                "--depth=1",
                remote.address(),
                temp.resolve("shallow").toString());
        try (var shallow = open("file://" + temp.resolve("shallow"))) {
            assertThat(shallow.fetch(ID).hash()).isEqualTo(second);
            assertThat(shallow.read(ID, second, "a", 9)).contains("2".getBytes(UTF_8));
        }
    }

    private Repositories open(String address) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, address, "main")),
                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                InstantSource.fixed(NOON));
    }

    static void assertProblem(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call,
            Problem.Code code,
            String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        Problem.class,
                        p -> {
                            assertThat(p.message()).isEqualTo(message);
                            assertThat(p.code()).isEqualTo(code);
                        });
    }
}
