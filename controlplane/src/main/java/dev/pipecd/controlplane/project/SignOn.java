// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.project;

import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Caller.Action;
import dev.pipecd.controlplane.access.Caller.Resource;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.change.Edit;
import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.ProjectSSOConfig;

/// How people of one project log in from elsewhere. Client ids and secrets are stored sealed.
public final class SignOn {
    private static final long LONGEST_HOURS = 100L * 366 * 24;

    private final Projects projects;
    private final Seal seal;

    public SignOn(Projects projects, Seal seal) {
        this.projects = projects;
        this.seal = seal;
    }

    public void set(Caller caller, ProjectSSOConfig sso) {
        caller.require(Resource.PROJECT, Action.UPDATE);
        check(sso);
        projects.update(
                caller.project(),
                caller.name(),
                project ->
                        new Edit.Changed<>(
                                project.toBuilder().setSso(kept(sso, project.getSso())).build(),
                                "single sign-on changed"));
    }

    private static void check(ProjectSSOConfig sso) {
        if (sso.getSessionTtl() > LONGEST_HOURS)
            throw invalid("session_ttl", sso.getSessionTtl(), "hours, at most " + LONGEST_HOURS);
        switch (sso.getProvider()) {
            case GITHUB -> {
                if (!sso.hasGithub()) throw invalid("github", "none", "client id and secret");
            }
            case OIDC -> {
                if (!sso.hasOidc()) throw invalid("oidc", "none", "client id, secret and issuer");
                if (sso.getOidc().getIssuer().isBlank())
                    throw invalid("issuer", "\"\"", "the provider's URL");
            }
            case GOOGLE, UNRECOGNIZED ->
                    throw invalid("provider", sso.getProvider(), "GITHUB or OIDC");
        }
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
                                    before.getGithub().getClientSecret()));
        if (sso.hasOidc())
            kept.getOidcBuilder()
                    .setClientId(
                            sealed(sso.getOidc().getClientId(), before.getOidc().getClientId()))
                    .setClientSecret(
                            sealed(
                                    sso.getOidc().getClientSecret(),
                                    before.getOidc().getClientSecret()));
        return kept.clearGoogle().build();
    }

    private String sealed(String given, String before) {
        return given.equals(OwnProject.REDACTED) && !before.isEmpty() ? before : seal.seal(given);
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
