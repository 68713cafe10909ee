// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.journal.Entry;
import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.domain.deployment.Outcome;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the control plane shows of applications when all is over, checked against the journal.
record ToldOfApplications(String name, Simulation simulation) {
    void isTrue() {
        simulation.controlPlane.applications().forEach(this::isTrue);
    }

    private void isTrue(Application told) {
        var about = "%s: %s, as it was told".formatted(name, told.getId());
        assertThat(told.getDeploying()).as("%s: deploying", about).isFalse();
        assertThat(told.getMostRecentlyTriggeredDeployment().getDeploymentId())
                .as("%s: most recently triggered", about)
                .isEqualTo(last(of(told, opened())));
        assertThat(told.getMostRecentlySuccessfulDeployment().getDeploymentId())
                .as("%s: most recently successful", about)
                .isEqualTo(last(of(told, opened().filter(succeeded()::contains))));
        var ended = endedAfterTheyBegan(told);
        if (ended.isEmpty()) return;
        var later = ended(told);
        var last = later.subList(later.indexOf(ended.getLast()), later.size());
        assertThat(last)
                .as("%s: the last that spoke", about)
                .contains(simulation.controlPlane.spoke.getOrDefault(told.getId(), ""));
        var head = told.getSyncState().getHeadDeploymentId();
        if (!head.isEmpty()) assertThat(last).as("%s: its head", about).contains(head);
    }

    private static String last(List<String> ids) {
        return ids.isEmpty() ? "" : ids.getLast();
    }

    private List<String> of(Application application, Stream<String> deployments) {
        return deployments.filter(id -> isOf(application, id)).toList();
    }

    /// In the order in which they were.
    private Stream<String> opened() {
        return simulation.agents.getFirst().pages.history.stream()
                .filter(Entry.Sheet.class::isInstance)
                .map(sheet -> ((Entry.Sheet) sheet).deployment().value())
                .distinct();
    }

    private Set<String> succeeded() {
        return history()
                .filter(moved ->
                        moved.event() instanceof DeploymentEvent.Ended(Outcome.Succeeded _))
                .map(moved -> moved.deployment().value())
                .collect(Collectors.toSet());
    }

    private List<String> ended(Application application) {
        return history()
                .filter(moved -> moved.event() instanceof DeploymentEvent.Ended)
                .map(moved -> moved.deployment().value())
                .filter(id -> isOf(application, id))
                .toList();
    }

    private List<String> endedAfterTheyBegan(Application application) {
        var begun = new HashSet<DeploymentId>();
        var ended = new ArrayList<String>();
        history()
                .forEach(moved -> {
                    if (moved.event() instanceof DeploymentEvent.Began)
                        begun.add(moved.deployment());
                    if (moved.event() instanceof DeploymentEvent.Ended
                            && begun.contains(moved.deployment()))
                        ended.add(moved.deployment().value());
                });
        return ended.stream().filter(id -> isOf(application, id)).toList();
    }

    private boolean isOf(Application application, String deployment) {
        return simulation
                .controlPlane
                .deployment(deployment)
                .getApplicationId()
                .equals(application.getId());
    }

    private Stream<Moved> history() {
        return simulation.agents.getFirst().pages.history.stream()
                .filter(Moved.class::isInstance)
                .map(Moved.class::cast);
    }
}
