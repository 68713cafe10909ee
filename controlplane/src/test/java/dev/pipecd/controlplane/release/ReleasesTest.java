// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import static dev.pipecd.controlplane.World.ELSEWHERE;
import static dev.pipecd.controlplane.World.HERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.World;
import dev.pipecd.controlplane.release.ReleaseSource.Release;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleasesTest {
    private static final List<Release> PUBLISHED =
            List.of(
                    release("v0.58.0", "## Breaking Changes\n- no more X\n\n## Notes\n- fast"),
                    release("v0.57.0", "## Notes\n- nice"),
                    release("v0.56.0", "### Breaking changes\n- old news"));

    @TempDir Path folder;
    private World world;
    private Releases releases;

    private static Release release(String version, String notes) {
        return new Release(SemanticVersion.parse(version).orElseThrow(), notes);
    }

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        releases = new Releases(() -> PUBLISHED, world.features.pipeds());
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void running(String name, String version) {
        var admin = World.person(HERE, "Admin");
        var piped = world.features.pipeds().register(admin, name, "").id();
        var _ =
                PipedServiceGrpc.newBlockingStub(world.as(World.agent(HERE, piped)))
                        .reportPipedMeta(
                                ReportPipedMetaRequest.newBuilder().setVersion(version).build());
    }

    @Test
    void versionsThatAgentsRunAreOfferedBesideThePublishedOnes() {
        running("a", "v0.99.0");
        running("b", "unreleased");

        assertThat(releases.versions(World.person(HERE, "Viewer")))
                .containsExactly("v0.99.0", "v0.58.0", "v0.57.0", "v0.56.0");
    }

    @Test
    void whatBreaksIsToldFromTheOldestAgentOn() {
        running("a", "v0.57.0");
        running("b", "v0.56.0");

        assertThat(releases.deprecatedNotes(World.person(HERE, "Viewer"), "here"))
                .isEqualTo("## v0.58.0\n- no more X\n");
        assertThat(releases.deprecatedNotes(World.person(ELSEWHERE, "Viewer"), "elsewhere"))
                .isEmpty();
        assertThatThrownBy(() -> releases.deprecatedNotes(World.person(HERE, "Admin"), "elsewhere"))
                .hasMessageContaining("project: elsewhere is unknown");
    }
}
