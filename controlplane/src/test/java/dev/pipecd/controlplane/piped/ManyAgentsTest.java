// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.piped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.controlplane.World;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.cache.InProcessCache;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/// What one project may have of agents, and of what they tell.
final class ManyAgentsTest {
    private static final Caller ADMIN = World.person(World.HERE, "Admin");
    private static final PipedId ID = new PipedId("p1");
    private static final Caller.Agent AGENT = new Caller.Agent(World.HERE, ID);

    private final InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(1_000_000));
    private final PipedStoreFake store = new PipedStoreFake();
    private final Heartbeats heartbeats = new Heartbeats(new InProcessCache(), clock);
    private final Pipeds pipeds =
            new Pipeds(store, heartbeats, key -> key, () -> "p" + (store.added.size() + 1), clock);
    private final PipedReports reports = new PipedReports(store, heartbeats, clock);

    @Test
    void aConfigurationThatIsTooLongIsCutAndTheAgentGoesOn() {
        var _ = pipeds.register(ADMIN, "east", "");

        var _ = reports.started(AGENT, told().setConfig("x".repeat(4_000_000)).build());

        assertThat(store.find(ID).orElseThrow().getConfig())
                .hasSize(256 * 1024 + 36)
                .startsWith("xxx")
                .endsWith("xxx\n# The rest is too long to be kept.\n");
    }

    @Test
    void aUsualConfigurationIsKeptAsItIs() {
        var _ = pipeds.register(ADMIN, "east", "");

        var _ = reports.started(AGENT, told().setConfig("kind: Piped\n").build());

        assertThat(store.find(ID).orElseThrow().getConfig()).isEqualTo("kind: Piped\n");
    }

    @Test
    void anAgentCannotTellOfRepositoriesWithoutEnd() {
        var _ = pipeds.register(ADMIN, "east", "");
        var repository = ApplicationGitRepository.newBuilder().setId("x".repeat(1_000)).build();
        var told = told();
        for (var n = 0; n < 300; n++) told.addRepositories(repository);

        assertThatThrownBy(() -> reports.started(AGENT, told.build()))
                .isInstanceOf(Problem.class)
                .hasMessageMatching(
                        "agent: \\d+ bytes \\(expected: at most 262144 without its configuration\\)");
    }

    @Test
    void whatPeopleSayOfAnAgentHasALimitToo() {
        assertThatThrownBy(() -> pipeds.register(ADMIN, "x".repeat(10_000), ""))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("agent: ");
        var id = pipeds.register(ADMIN, "east", "").id();

        assertThatThrownBy(() ->
                        pipeds.update(
                                ADMIN,
                                id,
                                "shall run",
                                p -> p.toBuilder().setDesiredVersion("v".repeat(10_000)).build()))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("agent: ");
    }

    @Test
    void aProjectHasTenThousandAgentsAtMost() {
        store.count = 9_999;
        var _ = pipeds.register(ADMIN, "the last", "");
        store.count = 10_000;

        assertThatThrownBy(() -> pipeds.register(ADMIN, "one more", ""))
                .isInstanceOf(Problem.class)
                .hasMessage("agents: 10000 (expected: fewer than 10000 in a project)");
    }

    private static Piped.Builder told() {
        return Piped.newBuilder().setVersion("v1");
    }

    private static final class PipedStoreFake implements PipedStore {
        private final Map<String, Piped> added = new HashMap<>();
        private int count;

        @Override
        public Optional<Piped> find(PipedId id) {
            return Optional.ofNullable(added.get(id.value()));
        }

        @Override
        public Optional<Piped> known(PipedId id) {
            return find(id);
        }

        @Override
        public Collection<Piped> of(ProjectId project) {
            return List.copyOf(added.values());
        }

        @Override
        public Collection<Piped> watching(Predicate<ApplicationGitRepository> wanted) {
            return List.copyOf(added.values());
        }

        @Override
        public int count(ProjectId project) {
            return count;
        }

        @Override
        public void add(Piped piped, String actor) {
            added.put(piped.getId(), piped);
        }

        @Override
        public Optional<Piped> update(PipedId id, String actor, Function<Piped, Edit<Piped>> edit) {
            return find(id).map(edit).map(edited -> kept(id, edited));
        }

        private Piped kept(PipedId id, Edit<Piped> edited) {
            if (edited instanceof Edit.Changed<Piped>(var after, var _))
                added.put(id.value(), after);
            return find(id).orElseThrow();
        }
    }
}
