// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import dev.pipecd.config.Secret;
import dev.pipecd.config.SharedSso;
import dev.pipecd.controlplane.project.Projects;
import dev.pipecd.controlplane.project.SignOn;
import dev.pipecd.controlplane.project.SsoAddresses;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectSSOConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Finds a project's way: the shared one it names, else its own.
public final class ProjectWays implements Ways {
    private static final Duration USUAL_LIFE = Duration.ofDays(7);

    private final Projects projects;
    private final SignOn signOn;
    private final List<SharedSso> shared;

    public ProjectWays(Projects projects, SignOn signOn, List<SharedSso> shared) {
        this.projects = projects;
        this.signOn = signOn;
        this.shared = List.copyOf(shared);
    }

    @Override
    public Optional<Way> find(ProjectId id) {
        return projects.find(id)
                .flatMap(project ->
                        project.getSharedSsoName().isEmpty() ? own(project) : shared(project));
    }

    private Optional<Way> shared(Project project) {
        return shared.stream()
                .filter(s -> s.name().equals(project.getSharedSsoName()))
                .findFirst()
                .flatMap(s -> provider(s).map(p -> new Way(project, s.sessionTtl(), p)));
    }

    private static Optional<Provider> provider(SharedSso shared) {
        return switch (shared.provider()) {
            case SharedSso.GitHub(var client, var baseUrl, _, var proxy) ->
                    Optional.of(new Provider.GitHub(client(client), baseUrl, route(shared, proxy)));
            case SharedSso.Oidc(var client, var at, var scopes, var claims, var proxy) ->
                    Optional.of(
                            new Provider.Oidc(
                                    client(client),
                                    at.issuer(),
                                    at.redirectUri(),
                                    new Provider.Endpoints(
                                            at.authorization(), at.token(), at.userInfo()),
                                    scopes,
                                    new Provider.Claims(
                                            claims.roles(), claims.username(), claims.avatarUrl()),
                                    route(shared, proxy)));
            case SharedSso.Google _ -> Optional.empty();
        };
    }

    private static Route route(SharedSso shared, Secret proxy) {
        return new Route("shared " + shared.name(), proxy.reveal(), SsoAddresses.ANY);
    }

    private static Provider.Client client(SharedSso.Client client) {
        return new Provider.Client(client.id().reveal(), client.secret().reveal());
    }

    private Optional<Way> own(Project project) {
        if (!project.hasSso()) return Optional.empty();
        var sso = signOn.opened(project.getSso());
        var life = sso.getSessionTtl() > 0 ? Duration.ofHours(sso.getSessionTtl()) : USUAL_LIFE;
        return switch (sso.getProvider()) {
            case GITHUB -> Optional.of(new Way(project, life, github(project, sso.getGithub())));
            case OIDC -> Optional.of(new Way(project, life, oidc(project, sso.getOidc())));
            case GOOGLE, UNRECOGNIZED -> Optional.empty();
        };
    }

    private Provider github(Project project, ProjectSSOConfig.GitHub github) {
        return new Provider.GitHub(
                new Provider.Client(github.getClientId(), github.getClientSecret()),
                github.getBaseUrl(),
                route(project, github.getProxyUrl()));
    }

    private Provider oidc(Project project, ProjectSSOConfig.Oidc oidc) {
        return new Provider.Oidc(
                new Provider.Client(oidc.getClientId(), oidc.getClientSecret()),
                oidc.getIssuer(),
                oidc.getRedirectUri(),
                new Provider.Endpoints(
                        oidc.getAuthorizationEndpoint(),
                        oidc.getTokenEndpoint(),
                        oidc.getUserInfoEndpoint()),
                oidc.getScopesList(),
                new Provider.Claims(
                        oidc.getRolesClaimKey(),
                        oidc.getUsernameClaimKey(),
                        oidc.getAvatarUrlClaimKey()),
                route(project, oidc.getProxyUrl()));
    }

    private Route route(Project project, String proxy) {
        return new Route("project " + project.getId(), proxy, signOn.addresses());
    }
}
