// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.pipecd.agent.source.disk.Folder;
import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.agent.source.tree.Leniency;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SubmodulesTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final Extent NAMED =
            new Extent(List.of("vendor/lib"), List.of(), true, Leniency.NONE);

    @TempDir Path temp;
    GitRemote remote;
    GitRemote lib;
    Repositories repositories;

    @BeforeEach
    void setUp() {
        remote = GitRemote.init(temp.resolve("remote"));
        lib = GitRemote.init(temp.resolve("lib"));
        repositories = watching("");
    }

    @AfterEach
    void tearDown() {
        repositories.close();
    }

    @Test
    void aSubmoduleIsThereAtTheCommitTheTreeNames() {
        var named = lib.write("text", "as named").write("deep/file", "x").commit("one");
        lib.write("text", "newer").commit("two");
        remote.link("app/lib", "../lib", named);

        var app = export("app").applicationDirectory();

        assertThat(app.resolve("lib/text")).hasContent("as named");
        assertThat(app.resolve("lib/deep/file")).hasContent("x");
        assertThat(app.resolve("lib/.git")).doesNotExist();
    }

    @Test
    void anotherCommitOfASubmoduleIsFetchedWhenItIsNamed() {
        remote.link("app/lib", lib.address(), lib.write("text", "1").commit("one"));
        export("app");
        remote.link("app/lib", lib.address(), lib.write("text", "2").commit("two"));

        assertThat(export("app").applicationDirectory().resolve("lib/text")).hasContent("2");
    }

    @Test
    void aMirrorOfASubmoduleWithoutItsObjectsIsMadeAgainByItself() throws Exception {
        remote.link("app/lib", lib.address(), lib.write("text", "1").commit("one"));
        export("app");
        repositories.close();
        Folder.delete(mirror().resolve("objects"));
        Folder.delete(temp.resolve("work"));
        repositories = watching("");

        assertThat(export("app").applicationDirectory().resolve("lib/text")).hasContent("1");
    }

    @Test
    void aMirrorOfASubmoduleThatLostAFolderIsMadeAgain() throws Exception {
        assertMadeAgainFor(Extent.USUAL);
    }

    /// Its server is there all the time: nothing is left out.
    @Test
    void aDamagedMirrorIsNoServerThatDoesNotAnswer() throws Exception {
        assertMadeAgainFor(Extent.USUAL.with(Leniency.UNREACHABLE));
    }

    private void assertMadeAgainFor(Extent extent) throws Exception {
        var one = lib.write("first", "1").write("sub/text", "1").commit("one");
        remote.link("app/lib", lib.address(), one);
        export("app");
        var lost = lib.git("rev-parse", "HEAD:sub");
        Files.delete(mirror().resolve("objects/" + lost.substring(0, 2) + "/" + lost.substring(2)));
        Folder.delete(temp.resolve("work"));

        var lib = export("app", extent).applicationDirectory().resolve("lib");

        assertThat(lib.resolve("first")).hasContent("1");
        assertThat(lib.resolve("sub/text")).hasContent("1");
    }

    private Path mirror() throws IOException {
        try (var mirrors = Files.list(temp.resolve("mirrors/submodules"))) {
            return mirrors.findFirst().orElseThrow();
        }
    }

    @Test
    void aCommitThatNoBranchLeadsToIsFoundByItsTag() {
        var tagged = lib.write("text", "tagged").commit("one");
        lib.git("tag", "v1");
        lib.git("checkout", "--quiet", "--orphan", "next");
        lib.git("branch", "-D", "main");
        lib.write("text", "next").commit("two");
        remote.link("app/lib", lib.address(), tagged);
        repositories.close();
        // By the old protocol a server gives nothing by its name alone.
        repositories = watching("-c protocol.version=0");

        assertThat(export("app").applicationDirectory().resolve("lib/text")).hasContent("tagged");
    }

    @Test
    void aSubmoduleOfASubmoduleIsThereToo() {
        var inner = GitRemote.init(temp.resolve("inner"));
        var innermost = inner.write("text", "inner").commit("one");
        var outer = lib.link("vendor/inner", "../inner", innermost);
        remote.link("app/lib", "../lib", outer);

        assertThat(export("app").applicationDirectory().resolve("lib/vendor/inner/text"))
                .hasContent("inner");
    }

    @Test
    void submodulesOfOtherApplicationsAreNotFetched() {
        remote.write("other/x", "x");
        remote.link("app/lib", temp.resolve("nowhere").toString(), "1".repeat(40));

        assertThat(export("other").applicationDirectory().resolve("x")).hasContent("x");
        assertThat(temp.resolve("mirrors/submodules")).doesNotExist();
    }

    @Test
    void aLinkThatNothingNamesStaysAnEmptyFolder() {
        remote.link("app/lib", "../lib", "1".repeat(40));
        remote.git("rm", "--quiet", "--cached", ".gitmodules");
        remote.git("commit", "--quiet", "-m", "no file");

        assertThat(export("app").applicationDirectory().resolve("lib")).isEmptyDirectory();
    }

    @Test
    void aSubmoduleThatCannotBeFetchedIsNamed() {
        remote.link("app/lib", "../nowhere", "1".repeat(40));

        assertThat(problem("app").message())
                .startsWith(
                        "submodule \"app/lib\" of repository demo: its repository: file://%s: "
                                .formatted(temp.resolve("nowhere")))
                .endsWith("(expected: a remote that answers)");
        assertThat(temp.resolve("work")).isEmptyDirectory();
    }

    @Test
    void aCommitThatIsNotThereIsNamed() {
        lib.write("text", "1").commit("one");
        remote.link("app/lib", "../lib", "1".repeat(40));

        assertThat(problem("app").message())
                .isEqualTo(
                        "submodule \"app/lib\" of repository demo: commit %s: not at file://%s (expected: a commit of one of its branches or tags)"
                                .formatted("1".repeat(40), lib.folder));
        lib.write("text", "2");
        remote.link("app/lib", "../lib", lib.commit("two"));
        assertThat(export("app").applicationDirectory().resolve("lib/text")).hasContent("2");
    }

    @Test
    void oneThatIsOnlyMentionedAndCannotBeHadIsLeftOut() {
        remote.write("app/x", "# see ../vendor/lib");
        lib.write("text", "1").commit("one");
        remote.link("vendor/lib", "../lib", "1".repeat(40));

        assertThat(export("app").root().resolve("vendor/lib")).isEmptyDirectory();
        assertThat(problem("app", NAMED).message())
                .startsWith("submodule \"vendor/lib\" of repository demo: commit 1111");
    }

    @Test
    void oneThatIsOnlyMentionedAndDoesNotAnswerIsToldWithTheWayOut() {
        remote.write("app/x", "# see ../vendor/lib");
        remote.link("vendor/lib", "../nowhere", "1".repeat(40));

        assertThat(problem("app").message()).endsWith("(expected: a remote that answers)");
        assertThat(problem("app").advice())
                .endsWith(
                        " If nothing needs it, set `source.references: false` in the application's file.");
        assertThat(problem("app", NAMED).advice()).endsWith("/nowhere");
    }

    @Test
    void oneThatIsOnlyMentionedIsLeftOutIfItIsTooLarge() {
        remote.write("app/x", "# see ../vendor/lib");
        lib.write("text", "1").commit("one");
        remote.link("vendor/lib", "../lib", lib.commitMany("two", 10_000, i -> "many/" + i));

        assertThat(export("app").root().resolve("vendor/lib")).isEmptyDirectory();
        assertThat(export("app", NAMED).root().resolve("vendor/lib/many/9999")).exists();
    }

    @Test
    void aSubmoduleInOneThatIsOnlyMentionedIsLeftOutAlone() {
        remote.write("app/x", "# see ../vendor/lib");
        lib.write("text", "1");
        remote.link("vendor/lib", "../lib", lib.link("deep", "../remote", "1".repeat(40)));

        var given = export("app").root().resolve("vendor/lib");

        assertThat(given.resolve("text")).hasContent("1");
        assertThat(given.resolve("deep")).isEmptyDirectory();
    }

    @Test
    void ofWhatWasDeployedAlreadyALostOneIsLeftOut() {
        lib.write("text", "1").commit("one");
        remote.write("app/x", "x").link("app/lib", "../lib", "1".repeat(40));

        var given = export("app", Extent.USUAL.with(Leniency.LOST)).applicationDirectory();

        assertThat(given.resolve("x")).hasContent("x");
        assertThat(given.resolve("lib")).isEmptyDirectory();
    }

    @Test
    void onTheWayBackOneThatDoesNotAnswerIsLeftOutOnlyIfItWasAMention() {
        remote.write("app/x", "# see ../vendor/lib");
        remote.link("vendor/lib", "../nowhere", "1".repeat(40));

        assertThat(export("app", Extent.USUAL.with(Leniency.LOST)).root().resolve("vendor/lib"))
                .isEmptyDirectory();
        assertThat(problem("app", NAMED.with(Leniency.LOST)).code())
                .isEqualTo(Problem.Code.REPOSITORY_UNREACHABLE);
    }

    @Test
    void ofWhatIsOnlyComparedWithOneThatDoesNotAnswerIsLeftOutThoughItWasNeeded() {
        remote.write("app/x", "x").link("app/lib", "../nowhere", "1".repeat(40));

        var given = export("app", Extent.USUAL.with(Leniency.UNREACHABLE)).applicationDirectory();

        assertThat(given.resolve("x")).hasContent("x");
        assertThat(given.resolve("lib")).isEmptyDirectory();
    }

    @Test
    void aServerThatDoesNotAnswerIsNotAskedAgainByWhoeverComparesNext() throws Exception {
        remote.write("app/x", "x").link("app/lib", "../nowhere", "1".repeat(40));
        export("app", Extent.USUAL.with(Leniency.UNREACHABLE));
        var asked = askedOf("nowhere");
        Folder.delete(temp.resolve("work"));

        export("app", Extent.USUAL.with(Leniency.UNREACHABLE));

        assertThat(asked).isPositive();
        assertThat(askedOf("nowhere")).isEqualTo(asked);
    }

    private long askedOf(String repository) throws IOException {
        try (var lines = Files.lines(temp.resolve("asked"))) {
            return lines.filter(line -> line.contains("/" + repository)).count();
        }
    }

    @Test
    void whoIsCalledOffLeavesOutNothing() {
        remote.link("app/lib", "../lib", lib.write("text", "1").commit("one"));
        var hash = repositories.fetch(ID).hash();

        Thread.currentThread().interrupt();
        var problem =
                catchThrowableOfType(
                        Problem.class,
                        () ->
                                repositories.export(
                                        ID,
                                        hash,
                                        "app",
                                        Extent.USUAL.with(Leniency.UNREACHABLE),
                                        temp.resolve("work/it"),
                                        _ -> {}));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(problem.message())
                .startsWith("submodule \"app/lib\" of repository demo: its repository: file:");
        assertThat(temp.resolve("work")).isEmptyDirectory();
    }

    @Test
    void noProgramIsRunToFetchASubmodule() {
        remote.link("app/lib", "ext::touch " + temp.resolve("run"), "1".repeat(40));

        assertThat(problem("app").message())
                .startsWith("submodule \"app/lib\" of repository demo: remote: \"ext::touch ");
        assertThat(problem("app").advice()).isEqualTo("Correct .gitmodules.");
    }

    @Test
    void anAddressThatClimbsTooFarIsRefused() {
        remote.link("app/lib", "../".repeat(40) + "lib", "1".repeat(40));

        assertThat(problem("app").message())
                .endsWith("(expected: fewer `..` than the repository's address has folders)");
    }

    @Test
    void aSubmoduleInASubmoduleThatFailsIsNamedOnce() {
        remote.link("app/lib", "../lib", lib.link("deep", "../nowhere", "1".repeat(40)));

        assertThat(problem("app").message())
                .startsWith("submodule \"app/lib/deep\" of repository demo: its repository: file:");
    }

    @Test
    void aFileInASubmoduleIsNotOfTheRepositoryAndTold() {
        remote.link("app/lib", lib.address(), lib.write("app.pipecd.yaml", "x").commit("one"));
        var hash = repositories.fetch(ID).hash();

        assertThatThrownBy(() -> repositories.read(ID, hash, "app/lib/app.pipecd.yaml", 1_000))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "app/lib/app.pipecd.yaml: in the submodule \"app/lib\" (expected: a file of the repository itself)");
        assertThat(repositories.read(ID, hash, "app/other/app.pipecd.yaml", 1_000)).isEmpty();
    }

    @Test
    void aBrokenListIsTold() {
        remote.link("app/lib", "../lib", "1".repeat(40));
        remote.write(".gitmodules", "[submodule \"x\n").git("add", ".gitmodules");
        remote.git("commit", "--quiet", "-m", "broken");

        assertThat(problem("app").message()).startsWith(".gitmodules: ");
    }

    @Test
    void aBrokenListThatIsNotNeededNamesNothing() {
        remote.write("app/x", "# see ../vendor/lib");
        remote.link("vendor/lib", "../lib", "1".repeat(40));
        remote.write(".gitmodules", "[submodule \"x\n").git("add", ".gitmodules");
        remote.git("commit", "--quiet", "-m", "broken");

        assertThat(export("app").root().resolve("vendor/lib")).isEmptyDirectory();
        assertThat(problem("app", NAMED).message()).startsWith(".gitmodules: ");
    }

    @Test
    void aLinkOfASubmoduleStaysInsideWhatIsExported() throws Exception {
        Files.createSymbolicLink(lib.folder.resolve("out"), Path.of("../../../../etc/passwd"));
        remote.link("app/lib", "../lib", lib.commit("one"));

        assertThat(problem("app").code()).isEqualTo(Problem.Code.PATH_LEAVES_REPOSITORY);
    }

    private Repositories watching(String options) {
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, remote.address(), "main")),
                GitRemote.program(temp, options),
                InstantSource.system());
    }

    private Repositories.Export export(String application) {
        return export(application, Extent.USUAL);
    }

    private Repositories.Export export(String application, Extent extent) {
        var hash = repositories.fetch(ID).hash();
        return repositories.export(ID, hash, application, extent, temp.resolve("work/it"), _ -> {});
    }

    private Problem problem(String application) {
        return problem(application, Extent.USUAL);
    }

    private Problem problem(String application, Extent extent) {
        return catchThrowableOfType(Problem.class, () -> export(application, extent));
    }
}
