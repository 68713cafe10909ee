// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.Notifications.Filter;
import dev.pipecd.config.Notifications.Route;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoutesTest {
    private static final Filter ALL = new Filter(List.of(), List.of(), List.of(), Map.of());
    private static final Event TRIGGERED = new Event.DeploymentTriggered(Samples.DEPLOYMENT);
    private static final Event FAILED = new Event.DeploymentFailed(Samples.DEPLOYMENT, "no");
    private static final Event STAGE = new Event.StageStarted(Samples.DEPLOYMENT, Samples.STAGE);
    private static final Event STARTED = new Event.PipedStarted();

    @Test
    void anEmptyRouteTakesEverything() {
        assertThat(Samples.EACH).allMatch(event -> takes(ALL, ALL, event));
    }

    @Test
    void eventsAndGroupsMustBothFit() {
        var failures = new Filter(List.of("DEPLOYMENT_FAILED"), List.of(), List.of(), Map.of());
        var deployments = new Filter(List.of(), List.of("DEPLOYMENT"), List.of(), Map.of());
        var neither =
                new Filter(List.of("DEPLOYMENT_FAILED"), List.of("STAGE"), List.of(), Map.of());

        assertThat(takes(failures, ALL, FAILED)).isTrue();
        assertThat(takes(failures, ALL, TRIGGERED)).isFalse();
        assertThat(takes(deployments, ALL, TRIGGERED)).isTrue();
        assertThat(takes(deployments, ALL, STAGE)).isFalse();
        assertThat(takes(neither, ALL, FAILED)).isFalse();
    }

    @Test
    void applicationsAndAllLabelsMustFit() {
        assertThat(takes(apps("shop", "site"), ALL, TRIGGERED)).isTrue();
        assertThat(takes(apps("site"), ALL, TRIGGERED)).isFalse();
        assertThat(takes(labels(Map.of("tier", "web")), ALL, STAGE)).isTrue();
        assertThat(takes(labels(Map.of("tier", "web", "team", "x")), ALL, STAGE)).isFalse();
    }

    @Test
    void whatIsIgnoredBeatsWhatIsTaken() {
        var ignoresEvent = new Filter(List.of("DEPLOYMENT_FAILED"), List.of(), List.of(), Map.of());
        var ignoresGroup = new Filter(List.of(), List.of("DEPLOYMENT"), List.of(), Map.of());

        assertThat(takes(ignoresEvent, ignoresEvent, FAILED)).isFalse();
        assertThat(takes(ALL, ignoresEvent, TRIGGERED)).isTrue();
        assertThat(takes(ALL, ignoresGroup, TRIGGERED)).isFalse();
        assertThat(takes(ALL, apps("shop"), TRIGGERED)).isFalse();
        assertThat(takes(ALL, apps("site"), TRIGGERED)).isTrue();
    }

    @Test
    void anyIgnoredLabelSuffices() {
        assertThat(takes(ALL, labels(Map.of("tier", "web", "team", "x")), TRIGGERED)).isFalse();
        assertThat(takes(ALL, labels(Map.of("tier", "db")), TRIGGERED)).isTrue();
    }

    @Test
    void aLabelWithoutAValueIsNotIgnoredByOtherLabels() {
        var empty =
                new Event.DeploymentSucceeded(
                        Samples.DEPLOYMENT.toBuilder().putLabels("canary", "").build());

        assertThat(takes(ALL, labels(Map.of("tier", "db")), empty)).isTrue();
    }

    @Test
    void eventsOfTheAgentPassWhateverIsSaidAboutApplications() {
        assertThat(takes(apps("site"), ALL, STARTED)).isTrue();
        assertThat(takes(labels(Map.of("tier", "db")), ALL, STARTED)).isTrue();
        assertThat(takes(ALL, apps("shop"), STARTED)).isTrue();
    }

    @Test
    void aReceiverIsToldOnceHoweverManyRoutesLeadToIt() {
        var routes =
                new Routes(
                        List.of(
                                new Route("a", "ops", ALL, ALL),
                                new Route("b", "ops", ALL, ALL),
                                new Route("c", "dev", ALL, ALL)));

        assertThat(routes.receivers(FAILED)).containsExactly("ops", "dev");
    }

    private static Filter apps(String... names) {
        return new Filter(List.of(), List.of(), List.of(names), Map.of());
    }

    private static Filter labels(Map<String, String> labels) {
        return new Filter(List.of(), List.of(), List.of(), labels);
    }

    private static boolean takes(Filter only, Filter ignored, Event event) {
        return new Routes(List.of(new Route("route", "r", only, ignored)))
                .receivers(event)
                .contains("r");
    }
}
