// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {
    private static final RepositoryId ID = new RepositoryId("demo");

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        repositories = started("a boot");
    }

    private Repositories started(String boot) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                InstantSource.system(),
                boot);
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void anExportHoldsTheApplicationAndSharedConfigurationAndNothingElse() throws IOException {
        remote.write("apps/site/index.html", "<p>")
                .write("apps/site/deep/er/file", "x")
                .write("apps/site/日本 -x\n", "odd")
                .write("apps/other/x", "other")
                .write(".pipe/shared.yaml", "shared")
                .write("README", "root");
        var script =
                remote.write("apps/site/run.sh", "#!/bin/sh").folder.resolve("apps/site/run.sh");
        script.toFile().setExecutable(true);
        Files.createSymbolicLink(remote.folder.resolve("apps/site/link"), Path.of("deep/er/file"));
        var hash = fetch("one");

        var export =
                repositories.export(
                        ID, hash, "./apps/site/", Extent.USUAL, temp.resolve("work/it"), _ -> {});

        assertThat(export.applicationDirectory()).isEqualTo(export.root().resolve("apps/site"));
        assertThat(export.sharedConfigDirectory()).isEqualTo(export.root().resolve(".pipe"));
        assertThat(files(export.root()))
                .containsExactlyInAnyOrder(
                        "apps/site/index.html",
                        "apps/site/deep/er/file",
                        "apps/site/日本 -x\n",
                        "apps/site/run.sh",
                        "apps/site/link",
                        ".pipe/shared.yaml");
        assertThat(export.applicationDirectory().resolve("run.sh")).isExecutable();
        assertThat(Files.isExecutable(export.applicationDirectory().resolve("index.html")))
                .isFalse();
        assertThat(export.applicationDirectory().resolve("link")).isSymbolicLink().hasContent("x");
    }

    @Test
    void aFolderIsFoundAgainByTheNextAgentButNotAfterAStartOfTheMachine() throws IOException {
        remote.write("apps/site/index.html", "<p>");
        var hash = fetch("one");
        var before = export(repositories, hash);
        Files.writeString(before.resolve("index.html"), "changed by its stage");

        try (var next = started("a boot")) {
            assertThat(export(next, hash)).isEqualTo(before);
            assertThat(before.resolve("index.html")).hasContent("changed by its stage");
        }
        // A power cut may have left this.
        Files.writeString(before.resolve("index.html"), "");
        try (var rebooted = started("another boot")) {
            assertThat(export(rebooted, hash).resolve("index.html")).hasContent("<p>");
        }
    }

    private Path export(Repositories made, String hash) {
        return made.export(ID, hash, "apps/site", Extent.USUAL, temp.resolve("work/it"), _ -> {})
                .applicationDirectory();
    }

    @Test
    void anApplicationAtTheRootGetsTheWholeRepository() throws IOException {
        remote.write("a", "1").write("b/c", "2").write(".pipe/d", "3");
        var hash = fetch("one");

        var export =
                repositories.export(ID, hash, ".", Extent.USUAL, temp.resolve("work/it"), _ -> {});

        assertThat(export.applicationDirectory()).isEqualTo(export.root());
        assertThat(files(export.root())).containsExactlyInAnyOrder("a", "b/c", ".pipe/d");
    }

    @Test
    void aLargeFileIsItsPointer() throws IOException {
        var pointer =
                "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 9\n"
                        .formatted("a".repeat(64));
        remote.write("app/big.bin", pointer)
                .write("app/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
        remote.git("-c", "filter.lfs.required=false", "add", "--all");
        remote.git("commit", "--quiet", "-m", "one");
        var hash = repositories.fetch(ID).hash();

        var export =
                repositories.export(
                        ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {});

        assertThat(export.applicationDirectory().resolve("big.bin")).hasContent(pointer);
    }

    @Test
    void anExportIsMadeOnceAndFoundAgainAsItWasLeft() throws IOException {
        var hash = fetch(remote.write("app/x", "1"));
        var first =
                repositories.export(
                        ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {});
        Files.writeString(first.applicationDirectory().resolve("x"), "changed by the stage");

        assertThat(
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {}))
                .isEqualTo(first);
        assertThat(first.applicationDirectory().resolve("x")).hasContent("changed by the stage");
    }

    @Test
    void aFailedExportLeavesNothingBehind() throws IOException {
        remote.write("app/x", "1");
        Files.createSymbolicLink(
                remote.folder.resolve("app/escape"), Path.of("../../../etc/passwd"));
        var hash = fetch("one");

        RepositoriesTest.assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "app/escape: a link to \"../../../etc/passwd\" (expected: a target inside the"
                        + " repository)");
        assertThat(temp.resolve("work")).isEmptyDirectory();
    }

    @Test
    void aLinkToAnAbsolutePathIsRefused() throws IOException {
        remote.write("app/x", "1");
        Files.createSymbolicLink(remote.folder.resolve("app/escape"), Path.of("/etc"));
        var hash = fetch("one");

        RepositoriesTest.assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "app/escape: a link to \"/etc\" (expected: a target inside the repository)");
    }

    @Test
    void aLinkCannotClimbOutThroughAnotherLink() throws IOException {
        remote.write("app/sub/x", "1");
        Files.createSymbolicLink(remote.folder.resolve("app/sub/top"), Path.of("../.."));
        Files.createSymbolicLink(remote.folder.resolve("app/sub/up"), Path.of("top/../.."));
        var hash = fetch("one");

        RepositoriesTest.assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "app/sub/up: a link to \"top/../..\" (expected: a target inside the repository)");
    }

    @Test
    void aTreeMadeByHandCannotWriteOutside() {
        var blob =
                remote.gitWithInput(
                        "x".getBytes(StandardCharsets.UTF_8), "hash-object", "-w", "--stdin");
        var inner = tree("100644 evil\0", blob);
        var dots = tree("40000 ..\0", inner);
        var root = tree("40000 app\0", dots);
        var hash = remote.git("commit-tree", root, "-m", "evil");
        remote.git("update-ref", "refs/heads/main", hash);
        repositories.fetch(ID);

        RepositoriesTest.assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                Problem.Code.PATH_LEAVES_REPOSITORY,
                "path: \"app/..\" (expected: a path inside the repository)");
        assertThat(temp.resolve("work")).isEmptyDirectory();
    }

    @Test
    void anApplicationDirectoryThatIsNotThereIsTold() throws IOException {
        var hash = fetch(remote.write("app/x", "1"));

        RepositoriesTest.assertProblem(
                () ->
                        repositories.export(
                                ID, hash, "gone", Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                Problem.Code.NOT_FOUND,
                "application directory: \"gone\" (expected: a folder of commit %s)"
                        .formatted(hash.substring(0, 8)));
    }

    @Test
    void anApplicationDirectoryOutsideTheRepositoryIsRefused() {
        var hash = fetch(remote.write("app/x", "1"));

        for (var path : List.of("../x", "/etc", "app/../../x"))
            RepositoriesTest.assertProblem(
                    () ->
                            repositories.export(
                                    ID, hash, path, Extent.USUAL, temp.resolve("work/it"), _ -> {}),
                    Problem.Code.PATH_LEAVES_REPOSITORY,
                    "path: \"%s\" (expected: a path inside the repository)".formatted(path));
    }

    private String tree(String entry, String hash) {
        var name = entry.getBytes(StandardCharsets.UTF_8);
        var id = java.util.HexFormat.of().parseHex(hash);
        var raw = java.util.Arrays.copyOf(name, name.length + id.length);
        System.arraycopy(id, 0, raw, name.length, id.length);
        return remote.gitWithInput(
                raw, "hash-object", "-t", "tree", "-w", "--literally", "--stdin");
    }

    private String fetch(GitRemote written) {
        return fetch("one");
    }

    private String fetch(String message) {
        remote.commit(message);
        return repositories.fetch(ID).hash();
    }

    private static List<String> files(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(file ->
                            !Files.isDirectory(file, java.nio.file.LinkOption.NOFOLLOW_LINKS))
                    .map(file -> root.relativize(file).toString())
                    .toList();
        }
    }
}
