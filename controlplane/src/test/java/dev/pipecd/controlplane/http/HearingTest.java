// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Permission;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.domain.ProjectId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class HearingTest {
    private static List<String> heard(Permission... permissions) {
        var person =
                new Caller.Person(
                        new ProjectId("here"), "ann", Set.of("Made up"), Set.of(permissions));
        return Arrays.stream(Change.Kind.values())
                .map(new Hearing(person)::name)
                .flatMap(Optional::stream)
                .sorted()
                .toList();
    }

    @Test
    void anAdministratorHearsOfAllThatIsShown() {
        var all =
                Arrays.stream(Resource.values())
                        .map(resource -> new Permission(resource, Action.GET, Map.of()))
                        .collect(Collectors.toSet());

        assertThat(heard(all.toArray(Permission[]::new)))
                .containsExactly(
                        "application",
                        "command",
                        "deployment",
                        "deployment-chain",
                        "event",
                        "live-state",
                        "piped",
                        "project",
                        "stage-log");
    }

    @Test
    void ofWhatOneMaySeeSomeOneHears() {
        assertThat(heard(new Permission(Resource.DEPLOYMENT, Action.LIST, Map.of("env", "dev"))))
                .containsExactly("command", "deployment", "stage-log");
    }

    @Test
    void whoMayOnlyOrderHearsOfOrders() {
        assertThat(heard(new Permission(Resource.APPLICATION, Action.UPDATE, Map.of())))
                .containsExactly("command");
    }

    @Test
    void whoMayNothingHearsNothing() {
        assertThat(heard()).isEmpty();
    }
}
