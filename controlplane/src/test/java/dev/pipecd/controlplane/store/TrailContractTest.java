// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static dev.pipecd.controlplane.store.Replica.PIPED;
import static dev.pipecd.controlplane.store.Replica.PROJECT;
import static dev.pipecd.controlplane.store.Replica.application;
import static dev.pipecd.controlplane.store.Replica.atOnce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// What who follows the changes may rely on, on every engine. Where several processes may write, a
/// second one does.
@ParameterizedClass
@EnumSource(TestEngine.class)
class TrailContractTest {
    private final Replicas replicas;
    private final Replica here;
    private final Replica there;

    TrailContractTest(TestEngine engine) {
        replicas = engine.replicas();
        here = new Replica(replicas.here());
        there = engine.shared() ? new Replica(replicas.there()) : here;
    }

    @AfterEach
    void close() {
        replicas.close();
    }

    private Replica replica(int i) {
        return i % 2 == 0 ? here : there;
    }

    @Test
    void changesArePassedOnInTheOrderOfTheTrailWhoeverMadeThem() throws Exception {
        var told = Collections.synchronizedList(new ArrayList<Change>());
        var changes = new Changes(here.trail);
        here.trail.passOnTo(changes::passOn);
        changes.listen(told::add);

        atOnce(50, i -> replica(i).table.add(application("a" + i), "ann"));
        here.trail.look();

        assertThat(told).isEqualTo(changes.since(PROJECT, 0, 100));
        assertThat(told.stream().map(Change::cursor))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 50).boxed().toList());
        assertThat(changes.latest()).isEqualTo(50);
    }

    @Test
    void whoHearsOfAChangeFindsItAtOnce() {
        assertThat(here.table.enabled(PIPED)).isEmpty();
        var found = new ArrayList<Integer>();
        here.trail.passOnTo(_ -> found.add(here.table.enabled(PIPED).size()));

        here.table.add(application("a1"), "ann");
        here.table.add(application("a2"), "ann");

        assertThat(found).containsExactly(1, 2);
    }

    @Test
    void whoHearsOfAnotherServersChangeFindsItAtOnce() {
        assertThat(here.table.enabled(PIPED)).isEmpty();
        var found = new ArrayList<Integer>();
        here.trail.passOnTo(_ -> found.add(here.table.enabled(PIPED).size()));

        there.table.add(application("a1"), "ann");
        here.trail.look();

        assertThat(found).containsExactly(1);
    }

    @Test
    void whoFollowsTheTrailWhileMuchIsWrittenMissesNothing() throws Exception {
        for (var i = 0; i < 8; i++) here.table.add(application("a" + i), "ann");
        var writing = new AtomicBoolean(true);

        List<Long> seen;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = threads.submit(() -> follow(writing));
            atOnce(
                    16,
                    i -> {
                        for (var n = 0; n < 20; n++) replica(i).count("a" + (i + n) % 8);
                    });
            writing.set(false);
            seen = reader.get();
        }

        assertThat(seen).isEqualTo(LongStream.rangeClosed(1, 328).boxed().toList());
    }

    private List<Long> follow(AtomicBoolean writing) {
        var seen = new ArrayList<Long>();
        var cursor = 0L;
        while (true) {
            var last = !writing.get();
            for (var change : here.trail.since(PROJECT, cursor, 50)) {
                seen.add(change.cursor());
                cursor = change.cursor();
            }
            if (last && here.trail.since(PROJECT, cursor, 1).isEmpty()) return seen;
        }
    }
}
