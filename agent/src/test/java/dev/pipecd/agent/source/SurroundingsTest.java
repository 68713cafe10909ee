// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.agent.source.tree.Leniency;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an application is given of its repository besides its own folder.
class SurroundingsTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final String APP = "apps/site";

    @TempDir Path temp;
    GitRemote remote;
    Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        repositories =
                new Repositories(
                        temp.resolve("mirrors"),
                        List.of(new Repository(ID, remote.address(), "main")),
                        GitBinary.onPath(GitRemote.access(temp.resolve("git"))),
                        InstantSource.system());
        remote.write("apps/other/x", "not asked for");
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void aBaseIsGivenWholeAndWhatItRefersToInItsTurn() throws IOException {
        remote.write("apps/site/kustomization.yaml", "resources:\n- ../../base\n")
                .write("base/kustomization.yaml", "resources: [deep/a.yaml, \"../lib/one.yaml\"]")
                .write("base/deep/a.yaml", "a")
                .write("lib/one.yaml", "patches: [{path: ../more/b.yaml}]")
                .write("lib/two.yaml", "not asked for")
                .write("more/b.yaml", "b");

        assertThat(given(Extent.USUAL))
                .containsExactlyInAnyOrder(
                        "apps/site/kustomization.yaml",
                        "base/kustomization.yaml",
                        "base/deep/a.yaml",
                        "lib/one.yaml",
                        "more/b.yaml");
    }

    @Test
    void aScriptOutsideIsGivenAsTheFolderItIsStartedInSeesIt() throws IOException {
        remote.write("apps/site/app.pipecd.yaml", "run: ../../scripts/x.sh --values=../v.yaml")
                .write("apps/v.yaml", "v")
                .write("scripts/y.sh", "y");
        remote.write("scripts/x.sh", ". ../../scripts/y.sh")
                .folder
                .resolve("scripts/x.sh")
                .toFile()
                .setExecutable(true);

        var root = export(Extent.USUAL);

        assertThat(files(root))
                .containsExactlyInAnyOrder(
                        "apps/site/app.pipecd.yaml", "apps/v.yaml", "scripts/x.sh", "scripts/y.sh");
        assertThat(root.resolve("scripts/x.sh")).isExecutable();
    }

    @Test
    void aLinkInsideTheRepositoryLeadsToWhatItStandsFor() throws IOException {
        remote.write("apps/site/x", "x")
                .write("shared/real/one", "1")
                .write("shared/real/two", "2");
        Files.createSymbolicLink(remote.folder.resolve("shared/current"), Path.of("real"));
        Files.createSymbolicLink(
                remote.folder.resolve("apps/site/link"), Path.of("../../shared/current/one"));

        var root = export(Extent.USUAL);

        assertThat(root.resolve("apps/site/link")).isSymbolicLink().hasContent("1");
        assertThat(files(root))
                .containsExactlyInAnyOrder(
                        "apps/site/x", "apps/site/link", "shared/current", "shared/real/one");
    }

    @Test
    void whatIsMissingOrOutsideOfTheRepositoryIsNoReference() throws IOException {
        remote.write("apps/site/x", "../gone ../../../../etc/passwd ../../.. and so on..")
                .write("README", "at the root");

        assertThat(given(Extent.USUAL)).containsExactly("apps/site/x");
    }

    @Test
    void aWayUpBringsTheFilesOfThatFolderButNotItsOtherFolders() throws IOException {
        remote.write("apps/site/run.sh", "cd ../.. && make").write("Makefile", "all:");

        assertThat(given(Extent.USUAL)).containsExactlyInAnyOrder("apps/site/run.sh", "Makefile");
    }

    @Test
    void pagesForPeopleAndBinaryFilesReferToNothing() throws IOException {
        remote.write("apps/site/README.md", "[see](../other)").write("apps/site/bin", "\0../other");

        assertThat(given(Extent.USUAL))
                .containsExactlyInAnyOrder("apps/site/README.md", "apps/site/bin");
    }

    @Test
    void whatTheTriggerWatchesIsGiven() throws IOException {
        remote.write("apps/site/x", "x").write("charts/a/b", "b").write("go.mod", "go");

        assertThat(
                        given(
                                new Extent(
                                        List.of(),
                                        List.of("charts", "go.mod", "", "apps", "gone"),
                                        true,
                                        Leniency.NONE)))
                .containsExactlyInAnyOrder("apps/site/x", "charts/a/b", "go.mod");
    }

    @Test
    void whatTheTriggerWatchesIsLeftOutIfItIsTooLarge() throws IOException {
        remote.write("apps/site/x", "x").commit("one");
        remote.commitMany("many", 10_001, i -> "big/" + i);

        assertThat(exported(new Extent(List.of(), List.of("big"), true, Leniency.NONE)))
                .containsExactly("apps/site/x");
    }

    @Test
    void whatIsNamedIsGivenWhereverTheApplicationIs() throws IOException {
        remote.write("apps/site/x", "x").write("charts/b", "b").write("c", "c");

        assertThat(given(named("./charts/"))).containsExactlyInAnyOrder("apps/site/x", "charts/b");
        assertThat(given(named("apps"))).containsExactlyInAnyOrder("apps/site/x", "apps/other/x");
        assertThat(given(named(".")))
                .containsExactlyInAnyOrder("apps/site/x", "apps/other/x", "charts/b", "c");
    }

    @Test
    void whatIsNamedMustBeThereUnlessItWasDeployedAlready() throws IOException {
        remote.write("apps/site/x", "x").commit("one");

        RepositoriesTest.assertProblem(
                () -> exported(named("charts")),
                Problem.Code.CONFIG_INVALID,
                "source.paths: \"charts\" (expected: a file or folder of the commit)");
        assertThat(exported(named("charts").with(Leniency.LOST))).containsExactly("apps/site/x");
    }

    @Test
    void aReferenceToTooMuchIsToldWithTheWayOut() throws IOException {
        remote.write("apps/site/main.tf", "source = \"../../modules\"").commit("one");
        remote.commitMany("many", 10_001, i -> "modules/" + i);

        RepositoriesTest.assertProblem(
                () -> exported(Extent.USUAL),
                Problem.Code.CONFIG_TOO_LARGE,
                "apps/site/main.tf: refers to \"../../modules\" (expected: with all else that is"
                        + " referred to at most 10000 files and 256 MB)");
        assertThat(exported(named("modules"))).hasSize(10_002);
        assertThat(exported(new Extent(List.of(), List.of(), false, Leniency.NONE)))
                .containsExactly("apps/site/main.tf");
        assertThat(exported(Extent.USUAL.with(Leniency.LOST))).containsExactly("apps/site/main.tf");
    }

    @Test
    void moreReferencesThanAnybodyWritesAreToldWithTheWayOut() throws IOException {
        var many = new StringBuilder();
        for (var i = 0; i <= 100_000; i++) many.append("../").append(i).append('\n');
        remote.write("apps/site/x", many.toString());

        RepositoriesTest.assertProblem(
                () -> given(Extent.USUAL),
                Problem.Code.CONFIG_TOO_LARGE,
                "apps/site/x: refers to more places (expected: with all other files at most 100000)");
        assertThat(given(Extent.USUAL.with(Leniency.LOST))).containsExactly("apps/site/x");
        assertThat(given(new Extent(List.of(), List.of(), false, Leniency.NONE)))
                .containsExactly("apps/site/x");
    }

    @Test
    void aLinkOutOfTheRepositoryInWhatIsOnlyReferredToIsLeftOut() throws IOException {
        remote.write("apps/site/x", "../../base").write("base/y", "y");
        Files.createSymbolicLink(remote.folder.resolve("base/out"), Path.of("/etc/passwd"));

        assertThat(given(Extent.USUAL)).containsExactlyInAnyOrder("apps/site/x", "base/y");
    }

    @Test
    void aSubmoduleThatIsReferredToIsFilled() throws IOException {
        var module = GitRemote.init(temp.resolve("module"));
        module.write("chart/x", "of the module").commit("one");
        remote.write("apps/site/x", "file://../../vendor/lib/chart");
        remote.git(
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "--quiet",
                "add",
                module.address(),
                "vendor/lib");

        assertThat(export(Extent.USUAL).resolve("vendor/lib/chart/x")).hasContent("of the module");
    }

    private static Extent named(String... paths) {
        return new Extent(List.of(paths), List.of(), true, Leniency.NONE);
    }

    private List<String> given(Extent extent) throws IOException {
        return files(export(extent));
    }

    private Path export(Extent extent) {
        remote.commit("all of it");
        return laid(extent);
    }

    private List<String> exported(Extent extent) throws IOException {
        return files(laid(extent));
    }

    private Path laid(Extent extent) {
        var hash = repositories.fetch(ID).hash();
        return repositories.export(ID, hash, APP, extent, temp.resolve("work/it"), _ -> {}).root();
    }

    private static List<String> files(Path root) throws IOException {
        try (var all = Files.walk(root)) {
            return all.filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .map(file -> root.relativize(file).toString())
                    .toList();
        }
    }
}
