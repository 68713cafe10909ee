// SPDX-License-Identifier: Apache-2.0
package bench;

import dev.pipecd.wire.model.Deployment;
import dev.pipecd.wire.model.DeploymentStatus;
import dev.pipecd.wire.web.ListDeploymentsRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/// A generated repository, a real server that knows its applications, and a real agent that watches it.
record Site(Monorepo repository, Stand stand, Piped agent, WebServiceGrpc.WebServiceBlockingStub web) implements AutoCloseable {
    static final String SECRET = "bench-secret";
    private static final long LONGEST = 300_000_000_000L;
    private static final int PAGE = 100;

    static Site open(Path dist, Path place, int applications, String pipeline, int stagesAtOnce) throws Exception {
        return open(dist, place, applications, pipeline, stagesAtOnce, "");
    }

    /// The agent is started last, and not waited for.
    ///
    /// @param plugins lines of the agent's `plugins:` beside the usual ones
    static Site open(Path dist, Path place, int applications, String pipeline, int stagesAtOnce, String plugins) throws Exception {
        Files.createDirectories(place);
        var repository = Monorepo.generate(place.resolve("repository.git"), applications, pipeline);
        var storage = Storage.withWebhook(place, SECRET);
        Stand.start(dist, place, storage).close();
        new Fleet(storage).write(repository, repository.head());
        var stand = Stand.start(dist, place, storage);
        return new Site(repository, stand, new Piped(dist, place, repository, stand.port(), stagesAtOnce, plugins), stand.web());
    }

    void push() throws Exception {
        repository.tell(stand.url("/"), SECRET);
    }

    /// The newest deployment of an application, once it is another than `before`.
    ///
    /// @param every how often it is asked for, in milliseconds: asking takes the server's time too
    Deployment newer(int application, String before, int every) throws Exception {
        var options = ListDeploymentsRequest.Options.newBuilder().addApplicationIds(Fleet.application(application));
        var request = ListDeploymentsRequest.newBuilder().setOptions(options).setPageSize(1).build();
        for (var end = System.nanoTime() + LONGEST; System.nanoTime() < end; Thread.sleep(every)) {
            var found = web.listDeployments(request).getDeploymentsList();
            if (!found.isEmpty() && !found.getFirst().getId().equals(before)) return found.getFirst();
        }
        throw new IllegalStateException("No deployment came of application " + application);
    }

    /// How many deployments of each application came of these commits.
    ///
    /// @throws IllegalStateException when one of them did not succeed
    Map<String, Integer> succeeded(Set<String> commits) {
        var found = new HashMap<String, Integer>();
        var cursor = "";
        do {
            var page = web.listDeployments(ListDeploymentsRequest.newBuilder().setPageSize(PAGE).setCursor(cursor).build());
            for (var deployment : page.getDeploymentsList()) {
                if (!commits.contains(deployment.getTrigger().getCommit().getHash())) continue;
                if (deployment.getStatus() != DeploymentStatus.DEPLOYMENT_SUCCESS)
                    throw new IllegalStateException("A deployment did not succeed: " + deployment);
                found.merge(deployment.getApplicationId(), 1, Integer::sum);
            }
            cursor = page.getDeploymentsCount() < PAGE ? "" : page.getCursor();
        } while (!cursor.isEmpty());
        return found;
    }

    @Override
    public void close() throws InterruptedException {
        agent.close();
        stand.close();
    }
}
