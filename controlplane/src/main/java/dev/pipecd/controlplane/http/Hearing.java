// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.change.Change;
import java.util.Optional;

/// Which changes a person is told of: none of those kinds of which they may see nothing.
record Hearing(Caller.Person person) {
    /// How a browser calls it; empty when this person is not told.
    Optional<String> name(Change.Kind kind) {
        return switch (kind) {
            case APPLICATION -> seen("application", Resource.APPLICATION);
            case LIVE_STATE -> seen("live-state", Resource.APPLICATION);
            case DEPLOYMENT -> seen("deployment", Resource.DEPLOYMENT);
            case STAGE_LOG -> seen("stage-log", Resource.DEPLOYMENT);
            case DEPLOYMENT_CHAIN -> seen("deployment-chain", Resource.DEPLOYMENT_CHAIN);
            case PIPED -> seen("piped", Resource.PIPED);
            case PROJECT -> seen("project", Resource.PROJECT);
            case EVENT -> seen("event", Resource.EVENT);
            // of their own orders people hear whatever their roles
            case COMMAND -> Optional.of("command").filter(_ -> !person.permissions().isEmpty());
            case API_KEY, SESSION, DEPLOYMENT_TRACE, REPOSITORY, LIVE_STATE_WANTED ->
                    Optional.empty();
        };
    }

    private Optional<String> seen(String name, Resource resource) {
        return person.within(resource, Action.GET).isEmpty()
                        && person.within(resource, Action.LIST).isEmpty()
                ? Optional.empty()
                : Optional.of(name);
    }
}
