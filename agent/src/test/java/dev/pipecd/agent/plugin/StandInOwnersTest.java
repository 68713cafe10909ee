// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static dev.pipecd.agent.plugin.HostInTest.patiently;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.read.Documents;
import dev.pipecd.wire.model.Deployment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A plugin that was named, and a built-in with the same stages that was not.
class StandInOwnersTest {
    @TempDir static Path data;
    static HostInTest host;

    @BeforeAll
    static void setUp() {
        host =
                HostInTest.start(
                        data,
                        List.of(
                                HostInTest.plugin("approval", "builtin:fake", "good"),
                                HostInTest.standIn(
                                        HostInTest.plugin("waitapproval", "builtin:fake", "good"))),
                        FakeHostCommand.get(),
                        HostInTest.QUICK);
        patiently().until(() -> host.plugins().ownersOf("FAKE").size() == 2);
    }

    @AfterAll
    static void tearDown() {
        host.close();
    }

    @Test
    void theOneThatWasNamedComesFirst() {
        assertThat(owner("description: x")).isEqualTo("approval");
    }

    @Test
    void anApplicationMayNameTheOther() {
        assertThat(owner("plugins: {waitapproval: {}}")).isEqualTo("waitapproval");
    }

    private static String owner(String line) {
        var file =
                "apiVersion: pipecd.dev/v1beta1\nkind: Application\nspec:\n  name: x\n  %s\n"
                        .formatted(line);
        var config =
                Documents.application("app.pipecd.yaml", file.getBytes(StandardCharsets.UTF_8));
        return new Owners(host.plugins())
                .owner(HostInTest.STAGE, Deployment.getDefaultInstance(), config.value());
    }
}
