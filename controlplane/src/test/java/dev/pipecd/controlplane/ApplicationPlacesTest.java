// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Calls.fails;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.ListApplicationsRequest;
import dev.pipecd.wire.rules.RequestRules;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import dev.pipecd.wire.web.WebServiceGrpc.WebServiceBlockingStub;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Where in Git an application may stand, and that it stands there once.
final class ApplicationPlacesTest {
    @TempDir private Path folder;
    private World world;
    private Samples.Home home;
    private WebServiceBlockingStub web;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        home = Samples.home(world, HERE);
        web = WebServiceGrpc.newBlockingStub(world.as(World.person(HERE, "Editor")));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private ThrowingCallable adding(ApplicationGitPath gitPath) {
        return () -> {
            var _ =
                    web.addApplication(
                            AddApplicationRequest.newBuilder()
                                    .setName("again")
                                    .setPipedId(home.piped().value())
                                    .setGitPath(gitPath)
                                    .build());
        };
    }

    /// By the public rule a path has two characters, also in the deployments its agent makes of it.
    @Test
    void aFolderOfOneLetterIsRegisteredSoThatItCanBeDeployed() throws Throwable {
        adding(Samples.gitPath("./a")).call();
        for (var spelling : List.of("a/", "a/.", ".//a/"))
            fails(
                    Status.Code.ALREADY_EXISTS,
                    " stands for ./a of demo",
                    adding(Samples.gitPath(spelling)));

        var stored =
                home
                        .calls()
                        .listApplications(ListApplicationsRequest.getDefaultInstance())
                        .getApplicationsList()
                        .stream()
                        .filter(a -> a.getName().equals("again"))
                        .findFirst()
                        .orElseThrow();
        var deployment =
                Samples.whole("d1", stored.getId(), home.agent()).toBuilder()
                        .setGitPath(stored.getGitPath());

        assertThat(stored.getGitPath().getPath()).isEqualTo("./a");
        assertThat(
                        new RequestRules()
                                .check(
                                        CreateDeploymentRequest.newBuilder()
                                                .setDeployment(deployment)
                                                .build()))
                .isEmpty();
    }

    @Test
    void aConfigurationFileHasANameAndNoFolderAndIsRegisteredOnce() throws Throwable {
        for (var file : List.of("../other/app.pipecd.yaml", "/etc/x", "./app.pipecd.yaml", ".."))
            fails(
                    Status.Code.INVALID_ARGUMENT,
                    "config_filename: \"%s\" (expected: a file name without a folder)"
                            .formatted(file),
                    adding(file(file)));

        adding(file("")).call();

        // What has no name is read as .pipe.yaml.
        fails(Status.Code.ALREADY_EXISTS, " stands for site of demo", adding(file(".pipe.yaml")));
        adding(file("other.pipecd.yaml")).call();
    }

    private static ApplicationGitPath file(String name) {
        return Samples.gitPath("site").toBuilder().setConfigFilename(name).build();
    }
}
