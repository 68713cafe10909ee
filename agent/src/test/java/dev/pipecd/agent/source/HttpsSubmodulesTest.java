// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.agent.source.tree.Extent;
import dev.pipecd.config.PipedConfig.GitCredentials;
import dev.pipecd.config.PipedConfig.HostKeys;
import dev.pipecd.config.PipedConfig.NoCredentials;
import dev.pipecd.config.PipedConfig.Password;
import dev.pipecd.config.Secret;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.RepositoryId;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Who is told the password when the repository of a real Git server has submodules.
final class HttpsSubmodulesTest {
    private static final RepositoryId ID = new RepositoryId("demo");
    private static final GitCredentials RIGHT =
            new Password(Secret.written("git.password", GitWebServer.PASSWORD), "");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir static Path shared;
    private static Path store;
    private static Path git;
    private static GitWebServer server;
    private static String head;

    @TempDir Path temp;

    @BeforeAll
    static void serve() throws Exception {
        store = shared.resolve("store.p12");
        git = trusting(GitWebServer.certificate(store));
        head = GitRemote.init(shared.resolve("served/site")).write("a", "1").commit("one");
        server = GitWebServer.tls(shared.resolve("served"), store);
    }

    /// The real git, which believes the server.
    private static Path trusting(Path certificate) throws IOException {
        var script =
                Files.writeString(
                        shared.resolve("trusting-git"),
                        "#!/bin/sh\nexport GIT_SSL_CAINFO='%s'\nexec git \"$@\"\n"
                                .formatted(certificate));
        script.toFile().setExecutable(true);
        return script;
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aSubmoduleOfTheSameServerIsFetchedAsItsRepositoryIs() {
        linked("beside", "../site");

        assertThat(exported("beside", RIGHT).resolve("m/a")).hasContent("1");
        assertThat(server.credentials()).isNotEmpty().containsOnly(GitWebServer.basic());
    }

    @Test
    void aPasswordInTheAddressIsForSubmodulesOfTheSameServerToo() {
        linked("absolute", server.address("localhost") + "/site");
        var login = URLEncoder.encode(GitWebServer.PASSWORD, UTF_8).replace("+", "%20");
        var address = server.address("%s:%s@localhost".formatted(GitWebServer.USER, login));

        try (var repositories = open(address + "/absolute", new NoCredentials())) {
            assertThat(export(repositories).resolve("m/a")).hasContent("1");
        }
    }

    @Test
    void aSubmoduleOfAnotherServerIsNotToldThePassword() throws Exception {
        try (var stranger = GitWebServer.tls(shared.resolve("served"), store)) {
            linked("abroad", stranger.address("localhost") + "/site");

            assertThatThrownBy(() -> exported("abroad", RIGHT))
                    .isInstanceOf(Problem.class)
                    .hasMessageStartingWith(
                            "submodule \"app/m\" of repository demo: its repository: "
                                    + stranger.address("localhost"));
            assertThat(stranger.credentials()).isEmpty();
            linked("public", stranger.address("localhost") + "/open/site");
            assertThat(exported("public", RIGHT).resolve("m/a")).hasContent("1");
            assertThat(stranger.credentials()).isEmpty();
        }
    }

    @Test
    void aSubmoduleOfARepositoryOfAServerIsNotReadFromTheAgentsDisk() {
        linked("inside", "file://" + shared.resolve("served/site"));

        assertThatThrownBy(() -> exported("inside", RIGHT))
                .isInstanceOf(Problem.class)
                .hasMessageEndingWith("(expected: an address that is not on the agent's own disk)");
    }

    private static void linked(String name, String url) {
        var remote = GitRemote.init(shared.resolve("served/" + name));
        remote.write(".gitmodules", "[submodule \"m\"]\n path = app/m\n url = %s\n".formatted(url));
        remote.git("add", "--all");
        remote.git("update-index", "--add", "--cacheinfo", "160000,%s,app/m".formatted(head));
        remote.git("commit", "--quiet", "-m", "link");
    }

    private Path exported(String name, GitCredentials credentials) {
        try (var repositories = open(server.address("localhost") + "/" + name, credentials)) {
            return export(repositories);
        }
    }

    private Path export(Repositories repositories) {
        var hash = repositories.fetch(ID).hash();
        return repositories
                .export(ID, hash, "app", Extent.USUAL, temp.resolve("work/it"), _ -> {})
                .applicationDirectory();
    }

    private Repositories open(String address, GitCredentials credentials) {
        var access =
                new GitAccess(
                        temp.resolve("git"),
                        GitRemote.settings(new HostKeys("", false), credentials));
        return new Repositories(
                temp.resolve("mirrors"),
                List.of(new Repository(ID, address, "main")),
                new GitBinary(git.toString(), access, PATIENCE, PATIENCE),
                InstantSource.system());
    }
}
