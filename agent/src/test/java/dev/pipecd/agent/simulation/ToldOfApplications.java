// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.agent.journal.Entry.Moved;
import dev.pipecd.domain.DeploymentId;
import dev.pipecd.domain.deployment.DeploymentEvent;
import dev.pipecd.wire.model.Application;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/// What the control plane shows of applications when all is over, checked against the journal.
record ToldOfApplications(String name, Simulation simulation) {
    void isTrue() {
        simulation.controlPlane.applications().forEach(this::isTrue);
    }

    private void isTrue(Application told) {
        var about = "%s: %s, as it was told".formatted(name, told.getId());
        assertThat(told.getDeploying()).as("%s: deploying", about).isFalse();
        var head = told.getSyncState().getHeadDeploymentId();
        var ended = endedAfterTheyBegan(told);
        if (head.isEmpty() || ended.isEmpty()) return;
        var later = ended(told);
        assertThat(later.subList(later.indexOf(ended.getLast()), later.size()))
                .as("%s: the last that spoke", about)
                .contains(head);
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

    private java.util.stream.Stream<Moved> history() {
        return simulation.agents.getFirst().pages.history.stream()
                .filter(Moved.class::isInstance)
                .map(Moved.class::cast);
    }
}
