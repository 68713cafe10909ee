// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.config.SharedSso;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.access.SessionEnds;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.controlplane.change.Redacted;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectSSOConfig;
import java.net.URI;

/// How people of one project log in from elsewhere. Client ids and secrets are stored sealed.
/// Sessions end with the word they were opened on.
public final class SignOn {
    private static final long LONGEST_HOURS = 100L * 366 * 24;

    private final Projects projects;
    private final Seal seal;
    private final SsoAddresses addresses;
    private final SessionEnds sessions;

    /// @param addresses what settings may name
    public SignOn(Projects projects, Seal seal, SsoAddresses addresses, SessionEnds sessions) {
        this.projects = projects;
        this.seal = seal;
        this.addresses = addresses;
        this.sessions = sessions;
    }

    public void set(Caller caller, ProjectSSOConfig sso) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        check(sso);
        if (projects.find(caller.project())
                .filter(project -> Vouchers.lost(project, with(sso, project)))
                .isPresent()) sessions.endUnsaid(caller.project(), caller.name());
        projects.update(
                caller.project(),
                caller.name(),
                project -> new Edit.Changed<>(with(sso, project), "single sign-on changed"));
    }

    private Project with(ProjectSSOConfig sso, Project project) {
        return project.toBuilder().setSso(kept(sso, project.getSso())).build();
    }

    private void check(ProjectSSOConfig sso) {
        if (sso.getSessionTtl() > LONGEST_HOURS)
            throw invalid("session_ttl", sso.getSessionTtl(), "hours, at most " + LONGEST_HOURS);
        switch (sso.getProvider()) {
            case GITHUB -> {
                if (!sso.hasGithub()) throw invalid("github", "none", "client id and secret");
                checkAddress("base_url", sso.getGithub().getBaseUrl());
                checkProxy(sso.getGithub().getProxyUrl());
            }
            case OIDC -> {
                if (!sso.hasOidc()) throw invalid("oidc", "none", "client id, secret and issuer");
                if (sso.getOidc().getIssuer().isBlank())
                    throw invalid("issuer", "\"\"", "the provider's URL");
                checkAddress("issuer", sso.getOidc().getIssuer());
                checkAddress("token_endpoint", sso.getOidc().getTokenEndpoint());
                checkAddress("user_info_endpoint", sso.getOidc().getUserInfoEndpoint());
                checkProxy(sso.getOidc().getProxyUrl());
            }
            case GOOGLE, UNRECOGNIZED ->
                    throw invalid("provider", sso.getProvider(), "GITHUB or OIDC");
        }
    }

    private void checkProxy(String url) {
        if (!url.isEmpty() && !SharedSso.isUsableProxy(url))
            throw invalid(
                    "proxy_url",
                    "of another kind",
                    "http://HOST:PORT, with USER:PASSWORD@ before HOST if it wants them");
        checkAddress("proxy_url", url);
    }

    /// Names are looked at when they are asked: what they mean may change.
    private void checkAddress(String name, String url) {
        String host;
        try {
            host = URI.create(url).getHost();
        } catch (IllegalArgumentException _) {
            return; // told to whoever logs in
        }
        if (host == null || addresses.allowUnasked(host)) return;
        throw new Problem(
                Problem.Code.REQUEST_INVALID,
                "%s: %s (expected: an address the operator lets projects name)"
                        .formatted(name, host),
                "Name another, or ask the operator to allow it with spec.projectSSO.addresses of"
                        + " the control plane's configuration.");
    }

    /// What settings may name, to be asked again when it is used.
    public SsoAddresses addresses() {
        return addresses;
    }

    private static Problem invalid(String name, Object value, String expected) {
        return new Problem(
                Problem.Code.REQUEST_INVALID,
                "%s: %s (expected: %s)".formatted(name, value, expected),
                "Correct it and save again. Google works as OIDC with the issuer"
                        + " https://accounts.google.com.");
    }

    /// A form that was shown `redacted` and sends it back means what was there before.
    private ProjectSSOConfig kept(ProjectSSOConfig sso, ProjectSSOConfig before) {
        var kept = sso.toBuilder();
        if (sso.hasGithub())
            kept.getGithubBuilder()
                    .setClientId(
                            sealed(sso.getGithub().getClientId(), before.getGithub().getClientId()))
                    .setClientSecret(
                            sealed(
                                    sso.getGithub().getClientSecret(),
                                    before.getGithub().getClientSecret()))
                    .setProxyUrl(
                            proxy(sso.getGithub().getProxyUrl(), before.getGithub().getProxyUrl()));
        if (sso.hasOidc())
            kept.getOidcBuilder()
                    .setClientId(
                            sealed(sso.getOidc().getClientId(), before.getOidc().getClientId()))
                    .setClientSecret(
                            sealed(
                                    sso.getOidc().getClientSecret(),
                                    before.getOidc().getClientSecret()))
                    .setProxyUrl(
                            proxy(sso.getOidc().getProxyUrl(), before.getOidc().getProxyUrl()));
        return kept.clearGoogle().build();
    }

    private String sealed(String given, String before) {
        return given.equals(Redacted.TEXT) && !before.isEmpty() ? before : seal.seal(given);
    }

    /// The login of a proxy is for that proxy: it does not go along to another one.
    private static String proxy(String given, String before) {
        if (given.equals(Redacted.url(before))) return before;
        if (given.contains("@") && given.equals(Redacted.url(given)))
            throw invalid("proxy_url", given, "its user and password again where it changes");
        return given;
    }

    /// The same with its secrets open, to be used and never told.
    public ProjectSSOConfig opened(ProjectSSOConfig sso) {
        var opened = sso.toBuilder();
        if (sso.hasGithub())
            opened.getGithubBuilder()
                    .setClientId(seal.open(sso.getGithub().getClientId()))
                    .setClientSecret(seal.open(sso.getGithub().getClientSecret()));
        if (sso.hasOidc())
            opened.getOidcBuilder()
                    .setClientId(seal.open(sso.getOidc().getClientId()))
                    .setClientSecret(seal.open(sso.getOidc().getClientSecret()));
        return opened.build();
    }
}
