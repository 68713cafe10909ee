// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static dev.pipecd.agent.source.RepositoriesTest.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.util.FS;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is read of a mirror: commits, trees, files.
class ReadingTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir Path temp;
    private GitRemote remote;
    private Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                        InstantSource.system());
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    /// It writes files for a second to find out, at each start and on the cores that deployments
    /// wait for.
    @Test
    void theClockOfTheFileSystemIsNotMeasured() {
        assertThat(FS.getFileStoreAttributes(temp).getFsTimestampResolution())
                .isEqualTo(Duration.ofSeconds(2));
    }

    /// Each deployment carries them.
    @Test
    void ofWordsThatNobodyReadsTheBeginningIsKept() {
        remote.git("config", "user.name", "a" + "😀".repeat(700));
        remote.write("a", "1").commit("x".repeat(5 << 20) + "\n\n" + "y".repeat(5 << 20));

        var head = repositories.fetch(ID);

        assertThat(head.subject()).isEqualTo("x".repeat(1_000) + "…");
        assertThat(head.body()).startsWith("yyy").endsWith("y…").hasSizeLessThanOrEqualTo(65_537);
        assertThat(head.author()).isEqualTo("a" + "😀".repeat(499) + "…");
    }

    @Test
    void aCommitThatIsNoLongerThereMeansThatHistoryWasRewritten() {
        var hash = remote.write("a", "1").commit("one");
        repositories.fetch(ID);

        assertThat(repositories.changedFiles(ID, "1".repeat(40), hash))
                .isEqualTo(new ChangedFiles.HistoryRewritten());
        assertThat(repositories.contains(ID, "1".repeat(40))).isFalse();
        assertThat(repositories.contains(ID, "--upload-pack=x")).isFalse();
        assertProblem(
                () -> repositories.commit(ID, "1".repeat(40)),
                Problem.Code.NOT_FOUND,
                "commit: \"%s\" (expected: a commit of the repository)".formatted("1".repeat(40)));
    }

    @Test
    void changedFilesNameBothEndsOfAMoveAndWeirdNames() {
        var before = remote.write("a/x", "same").write("keep/y", "1").commit("one");
        remote.git("mv", "a/x", "moved");
        var after =
                remote.write("with space", "1")
                        .write("-dash", "1")
                        .write("größe/日本.txt", "1")
                        .write("new\nline", "1")
                        .commit("two");
        repositories.fetch(ID);

        assertThat(repositories.changedFiles(ID, before, after))
                .isEqualTo(
                        new ChangedFiles.Changed(
                                List.of(
                                        "-dash",
                                        "a/x",
                                        "größe/日本.txt",
                                        "moved",
                                        "new\nline",
                                        "with space")));
        assertThat(repositories.read(ID, after, "größe/日本.txt", 10)).contains("1".getBytes(UTF_8));
        assertThat(repositories.read(ID, after, "-dash", 10)).contains("1".getBytes(UTF_8));
    }

    @Test
    void applicationConfigsAreFoundAndFollowedFromCommitToCommit() {
        var one =
                remote.write("site/app.pipecd.yaml", "")
                        .write("old/.pipe.yaml", "")
                        .write("api/blue.pipecd.yaml", "")
                        .write("api/pipecd.yaml", "")
                        .commit("one");
        remote.git("rm", "--quiet", "old/.pipe.yaml");
        var two = remote.write("app.pipecd.yaml", "").commit("two");
        repositories.fetch(ID);

        assertThat(repositories.applicationConfigs(ID, one))
                .containsExactly("api/blue.pipecd.yaml", "old/.pipe.yaml", "site/app.pipecd.yaml");
        assertThat(repositories.applicationConfigs(ID, two))
                .containsExactly("api/blue.pipecd.yaml", "app.pipecd.yaml", "site/app.pipecd.yaml");
        assertThat(repositories.applicationConfigs(ID, one))
                .containsExactly("api/blue.pipecd.yaml", "old/.pipe.yaml", "site/app.pipecd.yaml");
    }

    @Test
    void aFileOverTheLimitIsRefusedWithoutBeingRead() throws IOException {
        try (var file = new java.io.RandomAccessFile(remote.folder.resolve("big").toFile(), "rw")) {
            file.setLength(50L << 20);
        }
        var hash = remote.commit("big");
        repositories.fetch(ID);
        System.gc();
        var before = allocated();

        assertProblem(
                () -> repositories.read(ID, hash, "big", 1 << 20),
                Problem.Code.CONFIG_TOO_LARGE,
                "big: 52428800 bytes (expected: at most 1048576)");
        assertThat(allocated() - before).isLessThan(20L << 20);
    }

    @Test
    void linksAreFollowedInsideTheRepositoryOnly() throws IOException {
        remote.write("shared/config", "shared").write("app/x", "1");
        Files.createSymbolicLink(remote.folder.resolve("app/inside"), Path.of("../shared/config"));
        Files.createSymbolicLink(remote.folder.resolve("folder"), Path.of("app"));
        Files.createSymbolicLink(remote.folder.resolve("outside"), Path.of("../../etc/passwd"));
        Files.createSymbolicLink(remote.folder.resolve("absolute"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(remote.folder.resolve("loop"), Path.of("loop"));
        var hash = remote.commit("links");
        repositories.fetch(ID);

        assertThat(repositories.read(ID, hash, "app/inside", 10))
                .contains("shared".getBytes(UTF_8));
        assertThat(repositories.read(ID, hash, "folder/x", 10)).contains("1".getBytes(UTF_8));
        assertThat(repositories.read(ID, hash, "loop", 10)).isEmpty();
        assertThat(repositories.read(ID, hash, "missing", 10)).isEmpty();
        assertThat(repositories.read(ID, hash, "app", 10)).isEmpty();
        for (var path : List.of("outside", "absolute", "../x", "app/../x", "/etc/passwd"))
            assertProblem(
                    () -> repositories.read(ID, hash, path, 10),
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "path: \"%s\" (expected: a path inside the repository)".formatted(path));
    }

    /// Each of them would be millions of parts of a path.
    @Test
    void aLinkThatIsLongerThanAnyPathLeadsNowhereAndIsNotRead() {
        remote.write("app/x", "1").write("app/note", "see ../five").commit("Begin");
        for (var megabytes : List.of(5, 51)) {
            var target = "a/".repeat(megabytes << 19).getBytes(UTF_8);
            var blob = remote.gitWithInput(target, "hash-object", "-w", "--stdin");
            var path = megabytes == 5 ? "five" : "app/most";
            remote.git("update-index", "--add", "--cacheinfo", "120000," + blob + "," + path);
        }
        remote.git("commit", "--quiet", "-m", "links");
        var hash = remote.git("rev-parse", "HEAD");
        repositories.fetch(ID);
        var before = allocated();

        for (var path : List.of("five", "app/most", "five/x"))
            assertProblem(
                    () -> repositories.read(ID, hash, path, 10),
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "path: \"%s\" (expected: a path inside the repository)".formatted(path));
        assertThat(repositories.read(ID, hash, "app/x", 10)).contains("1".getBytes(UTF_8));
        assertThat(repositories.reach(ID, hash, "app", Extent.USUAL)).contains("app", "five");
        assertThat(allocated() - before).isLessThan(4L << 20);
        assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("out"), _ -> {}),
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "app/most: a link to \"… (more than a path can have)\" (expected: a target inside"
                        + " the repository)");
    }

    @Test
    void controlCharactersInACommitAreShownNotObeyed() {
        remote.git("config", "user.name", "Eve\u001b[2J\u202e");
        remote.write("a", "1")
                .commit(
                        "\u001b]0;owned\u0007 hi\n\nbody\u0000less\tkeeps tabs\nand lines"
                                .replace("\u0000", "\u0001"));

        var head = repositories.fetch(ID);

        assertThat(head.subject()).isEqualTo("␛]0;owned␇ hi");
        assertThat(head.body()).isEqualTo("body␁less\tkeeps tabs\nand lines");
        assertThat(head.author()).isEqualTo("Eve␛[2J\ufffd");
    }

    @Test
    void aCommitWithoutMessageAndAuthorStillHasWords() {
        remote.write("a", "1").commit("one");
        var tree = remote.git("rev-parse", "HEAD^{tree}");
        var raw = "tree %s\nauthor  <> -5 +0000\ncommitter  <> 0 +0000\n\n".formatted(tree);
        var hash =
                remote.gitWithInput(
                        raw.getBytes(UTF_8),
                        "hash-object",
                        "-t",
                        "commit",
                        "-w",
                        "--literally",
                        "--stdin");
        remote.git("update-ref", "refs/heads/main", hash);

        var head = repositories.fetch(ID);

        assertThat(head.subject()).isEqualTo("(no message)");
        assertThat(head.author()).isEqualTo("(unknown)");
        assertThat(head.authoredAt()).isEqualTo(Instant.ofEpochSecond(1));
    }

    @Test
    void onlyTheFoldersAskedForAreCompared() {
        var before =
                remote.write("a/x", "1")
                        .write("a/deep/y", "1")
                        .write("b/x", "1")
                        .write("version", "1")
                        .write("turns", "1")
                        .commit("one");
        remote.git("rm", "--quiet", "turns");
        var after =
                remote.write("a/deep/y", "2")
                        .write("b/x", "2")
                        .write("version", "2")
                        .write("turns/into", "a folder")
                        .write("new/z", "1")
                        .commit("two");
        repositories.fetch(ID);

        assertThat(changed(before, after, "a")).containsExactly("a/deep/y");
        assertThat(changed(before, after, "a/x", "version")).containsExactly("version");
        assertThat(changed(before, after, "new")).containsExactly("new/z");
        assertThat(changed(before, after, "turns")).containsExactly("turns", "turns/into");
        assertThat(changed(before, after, "missing")).isEmpty();
        assertThat(changed(before, after, "", "a"))
                .containsExactly("a/deep/y", "b/x", "new/z", "turns", "turns/into", "version");
    }

    @Test
    void aFolderOfManyNamesIsFoundByEachOfThem() {
        remote.write("many/größe", "big").write("many/0.d/x", "x").commit("some");
        var hash = remote.commitMany("many", 3_000, i -> "many/" + i);
        repositories.fetch(ID);

        for (var i = 0; i < 3_000; i += 97)
            assertThat(repositories.read(ID, hash, "many/" + i, 9)).contains(new byte[] {'x'});
        assertThat(repositories.read(ID, hash, "many/größe", 9)).contains("big".getBytes(UTF_8));
        assertThat(repositories.read(ID, hash, "many/0.d/x", 9)).contains("x".getBytes(UTF_8));
        assertThat(repositories.read(ID, hash, "many/3000", 9)).isEmpty();
        assertThat(repositories.read(ID, hash, "many/0/x", 9)).isEmpty();
    }

    @Test
    void aFileThatACommitDidNotChangeIsNotDecodedAgain() {
        var files = new ApplicationFiles(repositories);
        var place =
                ApplicationGitPath.newBuilder()
                        .setRepo(ApplicationGitRepository.newBuilder().setId(ID.value()))
                        .setPath("app")
                        .setConfigFilename("app.pipecd.yaml")
                        .build();
        remote.write(
                "app/app.pipecd.yaml",
                "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec: {name: site}\n");
        var first = remote.commit("add");
        var second = remote.write("app/index.html", "x").commit("change another");
        repositories.fetch(ID);

        assertThat(files.read(place, second)).isSameAs(files.read(place, first));
    }

    @Test
    void anLfsFileIsItsPointerAndASubmoduleNoFile() {
        var pointer =
                "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 5\n"
                        .formatted("a".repeat(64));
        remote.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
        remote.write("app/big.bin", pointer);
        remote.git("add", "--all");
        remote.git("update-index", "--add", "--cacheinfo", "160000," + "1".repeat(40) + ",app/sub");
        remote.git("commit", "--quiet", "-m", "pointers");
        var hash = remote.git("rev-parse", "HEAD");
        repositories.fetch(ID);

        assertThat(repositories.read(ID, hash, "app/big.bin", 200))
                .contains(pointer.getBytes(UTF_8));
        assertThat(repositories.read(ID, hash, "app/sub", 200)).isEmpty();
    }

    @Test
    void aSubmoduleThatMovesOnIsAChange() {
        remote.git("update-index", "--add", "--cacheinfo", "160000," + "1".repeat(40) + ",app/sub");
        remote.git("commit", "--quiet", "-m", "one");
        var before = remote.git("rev-parse", "HEAD");
        remote.git("update-index", "--add", "--cacheinfo", "160000," + "2".repeat(40) + ",app/sub");
        remote.git("commit", "--quiet", "-m", "two");
        var after = remote.git("rev-parse", "HEAD");
        repositories.fetch(ID);

        assertThat(changed(before, after, "app")).containsExactly("app/sub");
    }

    @Test
    void whereAPathLeadsIsToldThroughLinks() throws IOException {
        remote.write("shared/config", "1").write("app/x", "1");
        Files.createSymbolicLink(remote.folder.resolve("app/inside"), Path.of("../shared/config"));
        Files.createSymbolicLink(remote.folder.resolve("folder"), Path.of("app"));
        var hash = remote.commit("links");
        repositories.fetch(ID);

        assertThat(repositories.real(ID, hash, "folder/inside")).contains("shared/config");
        assertThat(repositories.real(ID, hash, "./app//x")).contains("app/x");
        assertThat(repositories.real(ID, hash, "app/missing")).isEmpty();
        assertThat(repositories.way(ID, hash, "folder/inside"))
                .containsExactly("folder", "app/inside", "shared/config");
        assertThat(repositories.way(ID, hash, "./app//x")).containsExactly("app/x");
        assertThat(repositories.way(ID, hash, "app/missing")).isEmpty();
    }

    @Test
    void changedPathsAreHandedOverOneByOne() {
        var before = remote.write("a", "1").commit("one");
        var after = remote.commitMany("two", 1_000, i -> "gen/" + i);
        repositories.fetch(ID);

        var seen = new ArrayList<String>();
        assertThat(repositories.eachChanged(ID, before, after, seen::add)).isTrue();
        assertThat(seen).hasSize(1_000).contains("gen/999");
        assertThat(repositories.eachChanged(ID, "1".repeat(40), after, seen::add)).isFalse();
    }

    private List<String> changed(String from, String to, String... folders) {
        return ((ChangedFiles.Changed) repositories.changedFiles(ID, from, to, List.of(folders)))
                .paths();
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean)
                        java.lang.management.ManagementFactory.getThreadMXBean())
                .getCurrentThreadAllocatedBytes();
    }
}
