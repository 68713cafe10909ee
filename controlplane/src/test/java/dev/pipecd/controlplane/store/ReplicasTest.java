// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.Features;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Two servers on one database.
class ReplicasTest {
    private static final ProjectId PROJECT = new ProjectId("here");
    private static final Caller ADMIN = new Caller.Person(PROJECT, "ann", Set.of("Admin"));

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(
            value = TestEngine.class,
            names = {"MARIADB", "MYSQL"})
    void whatOneServerDoesTheOtherKnowsAndTells(TestEngine engine) {
        try (var replicas = engine.replicas();
                var here = open(replicas.place());
                var there = open(replicas.place())) {
            var told = Collections.synchronizedList(new ArrayList<Change>());
            var _ = there.changes().listen(told::add);

            var registered = here.pipeds().register(ADMIN, "agent", "");
            assertThat(there.pipedKeys().verify(PROJECT, registered.id(), registered.key()).piped())
                    .isEqualTo(registered.id());
            here.pipeds().disable(ADMIN, registered.id());

            assertThatThrownBy(() ->
                            there.pipedKeys().verify(PROJECT, registered.id(), registered.key()))
                    .isInstanceOf(Problem.class);
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> told.size() == 2);
            assertThat(told).extracting(Change::id).containsOnly(registered.id().value());
            assertThat(there.changes().latest()).isEqualTo(here.changes().latest());
        }
    }

    private Features open(Database.Place place) {
        return Features.open(
                new Features.Settings(
                        place,
                        new FileStores.Place(new Filestore.Unset(), folder),
                        CacheAddress.none(),
                        "http://pipecd.example",
                        List.of(
                                Project.newBuilder()
                                        .setId(PROJECT.value())
                                        .setStaticAdmin(
                                                ProjectStaticUser.newBuilder()
                                                        .setUsername("admin")
                                                        .setPasswordHash("hash"))
                                        .build()),
                        Optional.empty(),
                        new Features.SignOnSettings(List.of(), new Seal(new byte[32]))),
                InstantSource.system(),
                () -> UUID.randomUUID().toString());
    }
}
