// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.transfer;

import dev.pipecd.cli.connect.ApiConnection;
import dev.pipecd.cli.show.Printable;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import dev.pipecd.wire.api.AddApplicationRequest;
import dev.pipecd.wire.api.DisableApplicationRequest;
import dev.pipecd.wire.api.UpdateApplicationDeployTargetsRequest;
import dev.pipecd.wire.model.Application;
import dev.pipecd.wire.model.ApplicationGitPath;
import java.util.HashMap;
import java.util.Map;

/// Puts applications of a backup where their agents now are. Each step looks at what is there, so
/// that a restore that was cut off can be run again.
final class Restore {
    private record Place(String piped, String repository, String path, String file) {
        static Place of(String piped, ApplicationGitPath path) {
            return new Place(
                    piped, path.getRepo().getId(), path.getPath(), path.getConfigFilename());
        }
    }

    private final ApiConnection api;
    private final Mapping mapping;
    private final Map<Place, Application> there = new HashMap<>();

    Restore(ApiConnection api, Mapping mapping) {
        this.api = api;
        this.mapping = mapping;
        for (var each : AllApplications.of(api, Map.of()))
            there.put(Place.of(each.getPipedId(), each.getGitPath()), each);
    }

    /// Tells what was done.
    String one(Application kept) {
        var piped =
                mapping.of(kept.getPipedId())
                        .orElseThrow(() ->
                                new Problem(
                                        Code.SETTING_INVALID,
                                        "piped: %s (expected: one in the mapping file)"
                                                .formatted(kept.getPipedId()),
                                        "Run `pipectl transfer restore piped` with the same backup."))
                        .newId();
        var place = Place.of(piped, kept.getGitPath());
        var known = there.containsKey(place);
        var now = known ? there.getOrDefault(place, kept) : added(kept, piped);
        there.put(place, now);
        if (!kept.getDeployTargetsByPluginMap().isEmpty()
                && !kept.getDeployTargetsByPluginMap().equals(now.getDeployTargetsByPluginMap()))
            target(now.getId(), kept);
        if (kept.getDisabled() && !now.getDisabled()) disable(now.getId());
        return "%s application %s: %s is now %s%s"
                .formatted(
                        known ? "Found" : "Restored",
                        Printable.text(kept.getName()),
                        kept.getId(),
                        now.getId(),
                        kept.getDisabled() ? " (disabled)" : "");
    }

    @SuppressWarnings("deprecation") // kind and provider of applications for old agents
    private Application added(Application kept, String piped) {
        var request =
                AddApplicationRequest.newBuilder()
                        .setName(kept.getName())
                        .setPipedId(piped)
                        .setGitPath(kept.getGitPath())
                        .setKind(kept.getKind())
                        .setPlatformProvider(kept.getPlatformProvider())
                        .setDescription(kept.getDescription())
                        .putAllLabels(kept.getLabelsMap())
                        .build();
        var id = api.ask(stub -> stub.addApplication(request)).getApplicationId();
        return Application.newBuilder().setId(id).build();
    }

    private void target(String id, Application kept) {
        var request =
                UpdateApplicationDeployTargetsRequest.newBuilder()
                        .setApplicationId(id)
                        .putAllDeployTargetsByPlugin(kept.getDeployTargetsByPluginMap())
                        .build();
        api.ask(stub -> stub.updateApplicationDeployTargets(request));
    }

    private void disable(String id) {
        var request = DisableApplicationRequest.newBuilder().setApplicationId(id).build();
        api.ask(stub -> stub.disableApplication(request));
    }
}
