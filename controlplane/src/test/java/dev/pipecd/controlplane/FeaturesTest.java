// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.project.Project;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeaturesTest {
    @TempDir Path folder;

    @Test
    void whatWasRegisteredIsThereAfterAReopen() {
        var project = new Project(new ProjectId("demo"), "", "admin", "");
        var settings =
                new Features.Settings(
                        folder.resolve("pipecd.db"),
                        folder.resolve("files"),
                        "http://localhost",
                        List.of(project));
        var admin = new Caller.Person(project.id(), "ann", Set.of("Admin"));
        dev.pipecd.controlplane.piped.Pipeds.Registered registered;
        try (var features =
                Features.open(
                        settings, InstantSource.system(), () -> UUID.randomUUID().toString())) {
            registered = features.pipeds().register(admin, "east", "");
            assertThatThrownBy(() ->
                            Features.open(
                                    settings,
                                    InstantSource.system(),
                                    () -> UUID.randomUUID().toString()))
                    .isInstanceOf(Problem.class)
                    .hasMessageContaining("is in use");
        }

        try (var features =
                Features.open(
                        settings, InstantSource.system(), () -> UUID.randomUUID().toString())) {
            var agent =
                    features.pipedKeys().verify(project.id(), registered.id(), registered.key());

            assertThat(agent.piped()).isEqualTo(registered.id());
            assertThat(features.changes().since(project.id(), 0, 10)).hasSize(1);
        }
    }
}
