// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.model.PipedKey;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What of agents is held in memory, where all of all projects stand.
final class AgentsInMemoryTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final PipedId ID = new PipedId("p1");
    private static final InstantSource CLOCK =
            InstantSource.fixed(Instant.parse("2026-11-01T12:00:00Z"));

    @ParameterizedTest
    @EnumSource(
            value = TestEngine.class,
            names = {"SQLITE", "MARIADB"})
    void whatAnAgentTellsOfItselfIsReadWhenItIsAskedForAndNotHeld(TestEngine engine)
            throws Exception {
        try (var database = TestEngine.open(engine.fresh())) {
            var table = new PipedTable(database, new Trail(database), CLOCK);
            table.add(agent("p1", "x".repeat(100_000)), "ann");
            var slim = agent("p1", "").toBuilder();

            assertThat(table.known(ID).map(AgentsInMemoryTest::withoutTimes))
                    .hasValue(slim.build());
            var _ =
                    table.update(
                            ID,
                            "ann",
                            p ->
                                    new Edit.Changed<>(
                                            p.toBuilder().setDisabled(true).build(), "disabled"));

            assertThat(table.known(ID).map(AgentsInMemoryTest::withoutTimes))
                    .hasValue(slim.setDisabled(true).build());
            assertThat(table.find(ID).orElseThrow().getConfig()).hasSize(100_000);
            assertThat(table.find(ID).orElseThrow().getRepositoriesCount()).isEqualTo(1);
            assertThat(table.count(PROJECT)).isEqualTo(1);
            assertThat(table.count(new ProjectId("elsewhere"))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoWatchesWhatWasPushedToIsFoundHoweverMuchItWatches(TestEngine engine) throws Exception {
        try (var database = TestEngine.open(engine.fresh())) {
            var table = new PipedTable(database, new Trail(database), CLOCK);
            table.add(agent(id(1), "").toBuilder().setStartedAt(1).build(), "ann");
            table.add(watching(id(2), 1_000).build(), "ann");
            table.add(watching(id(3), 1_000).setDisabled(true).build(), "ann");
            table.add(watching(id(4), 500).build(), "ann");
            table.add(
                    watching(id(5), 1_000).setProjectId("elsewhere").setConfig("x").build(), "ann");

            var found = table.watching(r -> r.getId().equals("r") || r.getId().equals("r-900"));

            assertThat(found)
                    .extracting(Piped::getId)
                    .containsExactlyInAnyOrder(id(1), id(2), id(5));
            assertThat(found)
                    .allMatch(p -> p.getRepositoriesCount() == 1 && p.getConfig().isEmpty());
        }
    }

    private static String id(int number) {
        return "00000000-0000-4000-8000-%012d".formatted(number);
    }

    private static Piped.Builder watching(String id, int repositories) {
        var piped = agent(id, "").toBuilder().setStartedAt(1).clearRepositories();
        for (var n = 0; n < repositories; n++)
            piped.addRepositories(ApplicationGitRepository.newBuilder().setId("r-" + n));
        return piped;
    }

    @Test
    void ofAProjectWhoseAgentsToldVeryMuchTheRestIsListedByNameOnly() {
        try (var database = TestEngine.open(TestEngine.SQLITE.fresh())) {
            var table = new PipedTable(database, new Trail(database), CLOCK);
            for (var n = 10; n < 90; n++) table.add(agent("p" + n, "x".repeat(250_000)), "ann");

            var listed = table.of(PROJECT);

            assertThat(listed).hasSize(80).allMatch(p -> p.getName().equals("east"));
            assertThat(listed.stream().mapToLong(Piped::getSerializedSize).sum())
                    .isBetween(15L << 20, 17L << 20);
        }
    }

    private static Piped withoutTimes(Piped piped) {
        return piped.toBuilder().clearCreatedAt().clearUpdatedAt().build();
    }

    private static Piped agent(String id, String config) {
        return Piped.newBuilder()
                .setId(id)
                .setName("east")
                .setProjectId(PROJECT.value())
                .addKeys(PipedKey.newBuilder().setHash("h"))
                .addRepositories(ApplicationGitRepository.newBuilder().setId("r"))
                .setConfig(config)
                .build();
    }
}
