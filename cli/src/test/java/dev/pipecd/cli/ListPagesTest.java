// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.Deployment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Lists that a server gives in parts.
final class ListPagesTest {
    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    private static ListDeploymentsResponse deployments(int count, String cursor) {
        var page = ListDeploymentsResponse.newBuilder().setCursor(cursor);
        for (var i = 0; i < count; i++)
            page.addDeployments(Deployment.newBuilder().setId("d" + cursor + i));
        return page.build();
    }

    private static ListApplicationsResponse applications(int count, String cursor) {
        var page = ListApplicationsResponse.newBuilder().setCursor(cursor);
        for (var i = 0; i < count; i++)
            page.addApplications(Application.newBuilder().setId("a" + cursor + i));
        return page.build();
    }

    @Test
    void aListThatTheServerCutsIsReadOnUntilEnoughIsThere() {
        api.answer(
                ListDeploymentsRequest.class,
                deployments(500, "a"),
                deployments(500, "b"),
                deployments(200, "c"));

        var run = pipectl(server, "deployment", "list", "--limit", "1200", "-o", "json");

        assertThat(api.requests(ListDeploymentsRequest.class))
                .extracting(r -> r.getLimit() + " from " + r.getCursor())
                .containsExactly("500 from ", "500 from a", "200 from b");
        assertThat(run.out())
                .startsWith("{\"deployments\":[{\"id\":\"da0\"},")
                .endsWith(",{\"id\":\"dc199\"}],\"cursor\":\"c\"}\n");
        assertThat(run.err())
                .isEqualTo(
                        "There may be more: go on with --cursor c, or show more with --limit.\n");
    }

    @Test
    void noLimitReadsAllDeploymentsAlsoWhereTheServerGivesFewAtOnce() {
        api.answer(
                ListDeploymentsRequest.class,
                deployments(50, "a"),
                deployments(50, "b"),
                deployments(0, ""));

        var run = pipectl(server, "deployment", "list", "--limit", "0");

        assertThat(run.out().lines()).hasSize(1 + 100);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void noLimitReadsAllApplications() {
        api.answer(
                ListApplicationsRequest.class,
                applications(2, "a"),
                applications(1, "b"),
                applications(0, ""));

        var run = pipectl(server, "application", "list", "--limit=0");

        assertThat(run.out().lines()).hasSize(1 + 3);
        assertThat(run.err()).isEmpty();
        assertThat(api.requests(ListApplicationsRequest.class))
                .extracting(ListApplicationsRequest::getCursor)
                .containsExactly("", "a", "b");
    }

    @Test
    void aCursorThatDoesNotMoveIsNotFollowedForEver() {
        api.answer(ListDeploymentsRequest.class, deployments(1, "a"));

        assertThat(pipectl(server, "deployment", "list").out().lines()).hasSize(1 + 2);
    }
}
