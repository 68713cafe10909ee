// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.ControlPlaneConfig;
import dev.pipecd.config.SharedSso;
import dev.pipecd.controlplane.access.Accounts;
import dev.pipecd.controlplane.access.OwnerLogin;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.http.CookieJar;
import dev.pipecd.controlplane.http.OwnerPages;
import dev.pipecd.controlplane.http.ProjectPages;
import dev.pipecd.controlplane.project.ProjectOffice;
import dev.pipecd.controlplane.server.Addresses;
import dev.pipecd.controlplane.server.Metrics;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Collectors;

/// The pages of the installation's owner, put together for whoever has them on a port.
final class OwnersDoor {
    private OwnersDoor() {}

    static OwnerPages pages(
            Features features,
            ControlPlaneConfig config,
            ServerOptions.Trust trust,
            Metrics metrics,
            InstantSource clock) {
        var login =
                Optional.of(config.ops().owner())
                        .filter(ControlPlaneConfig.StaticAdmin::enabled)
                        .map(o -> new Accounts.StaticAdmin(o.username(), o.passwordHash().reveal()))
                        .map(o -> new OwnerLogin(o, features.people().sessions(), clock));
        var shared =
                config.login().sharedSso().stream()
                        .map(SharedSso::name)
                        .collect(Collectors.toSet());
        return new OwnerPages(
                login,
                new ProjectPages(
                        new ProjectOffice(
                                features.projects(),
                                shared,
                                id -> features.pipeds().enabled(id).size(),
                                new SessionEnds(features.people().sessions(), clock)),
                        features.people().audit()),
                new CookieJar(trust.insecureCookie()),
                new Addresses(trust.forwardedFor()),
                metrics);
    }
}
