// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.notify.Event;
import dev.pipecd.wire.plugin.supervision.SourceUse;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PluginLineTest {
    private final List<Event> told = new ArrayList<>();
    private final PluginLine line = new PluginLine("wait", "plugin-host", told::add, new Changes());

    @Test
    void aPluginThatIsGivenUpIsToldOnceAndItsReturnToo() {
        line.down("it ended", "", false);
        line.down("it ends again and again", "Mend it.", true);
        line.down("it ends again and again", "Mend it.", true);
        line.up(channel(), "v1", List.of("WAIT"));
        line.recovered();
        line.recovered();
        line.down("it ends again and again", "Mend it.", true);

        assertThat(told)
                .containsExactly(
                        new Event.PluginUnhealthy("wait", "it ends again and again", "Mend it."),
                        new Event.PluginHealthy("wait"),
                        new Event.PluginUnhealthy("wait", "it ends again and again", "Mend it."));
    }

    @Test
    void oneThatIsSoonDownAgainWasNeverHealthy() {
        for (var turn = 0; turn < 3; turn++) {
            line.down("it ends again and again", "Mend it.", true);
            line.recovered();
            line.up(channel(), "v1", List.of("WAIT"));
            line.down("it gave no sign of life", "", false);
        }

        assertThat(told)
                .containsExactly(
                        new Event.PluginUnhealthy("wait", "it ends again and again", "Mend it."));
    }

    @Test
    void ordinaryRestartsAndTheStopAreNotTold() {
        line.up(channel(), "v1", List.of("WAIT"));
        line.down("it ended", "", false);
        line.up(channel(), "v1", List.of("WAIT"));
        line.recovered();
        line.close();
        line.down("it ended", "", true);

        assertThat(told).isEmpty();
    }

    @Test
    void aStageReadsEverythingUntilItsPluginSaysLessAndAgainWhenThatStartsAnew() {
        assertThat(line.reads("WAIT")).isEqualTo(SourceUse.SOURCE_USE_EVERYTHING);
        line.reads(Map.of("WAIT", SourceUse.SOURCE_USE_NOTHING));
        line.up(channel(), "v1", List.of("WAIT", "WAIT_LONG"));
        line.down("it ended", "", false);
        assertThat(line.reads("WAIT")).isEqualTo(SourceUse.SOURCE_USE_NOTHING);
        assertThat(line.reads("WAIT_LONG")).isEqualTo(SourceUse.SOURCE_USE_EVERYTHING);

        line.startsAnew();

        assertThat(line.reads("WAIT")).isEqualTo(SourceUse.SOURCE_USE_EVERYTHING);
    }

    private static ManagedChannel channel() {
        return ManagedChannelBuilder.forAddress("127.0.0.1", 1).usePlaintext().build();
    }
}
