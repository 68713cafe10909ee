// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.piped.PipedHealth;
import dev.pipecd.wire.health.GetPipedHealthRequest;
import dev.pipecd.wire.health.GetPipedHealthResponse;
import dev.pipecd.wire.health.HealthServiceGrpc;
import dev.pipecd.wire.health.Part;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PipedHealthTest {
    private static final PipedHealth.Part DOWN =
            new PipedHealth.Part("plugin", "wait", false, "starting", "Wait.");

    @TempDir Path folder;
    private World world;
    private Samples.Home here;

    @BeforeEach
    void open() throws Exception {
        world = new World(folder);
        here = Samples.home(world, World.HERE);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void peopleSeeWhatTheAgentTold() {
        world.features.health().told(here.agent(), List.of(DOWN));

        assertThat(asked())
                .isEqualTo(
                        GetPipedHealthResponse.newBuilder()
                                .setToldAt(world.now.get().getEpochSecond())
                                .addParts(
                                        Part.newBuilder()
                                                .setKind("plugin")
                                                .setName("wait")
                                                .setDetail("starting")
                                                .setAdvice("Wait."))
                                .build());
    }

    @Test
    void whatIsOldIsNotShownAsIfItWereTrue() {
        world.features.health().told(here.agent(), List.of(DOWN));

        world.now.updateAndGet(now -> now.plus(Duration.ofMinutes(4)));

        assertThat(asked()).isEqualTo(GetPipedHealthResponse.getDefaultInstance());
    }

    @Test
    void anAgentThatToldNothingHasNoParts() {
        assertThat(asked()).isEqualTo(GetPipedHealthResponse.getDefaultInstance());
    }

    @Test
    void whatIsTooMuchIsLeftOut() {
        var wordy = new PipedHealth.Part("plugin", "wait", true, "x".repeat(10_000), "");
        world.features.health().told(here.agent(), Collections.nCopies(2_000, wordy));

        assertThat(asked().getPartsList())
                .hasSize(500)
                .allSatisfy(part -> assertThat(part.getDetail()).hasSize(2_001));
    }

    private GetPipedHealthResponse asked() {
        return HealthServiceGrpc.newBlockingStub(world.as(World.person(World.HERE, "Viewer")))
                .getPipedHealth(
                        GetPipedHealthRequest.newBuilder()
                                .setPipedId(here.agent().piped().value())
                                .build());
    }
}
