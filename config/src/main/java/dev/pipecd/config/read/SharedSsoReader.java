// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.read;

import dev.pipecd.config.ControlPlaneConfig.Reach;
import dev.pipecd.config.SharedSso;
import dev.pipecd.config.SharedSso.Claims;
import dev.pipecd.config.SharedSso.Client;
import dev.pipecd.config.SharedSso.Endpoints;
import dev.pipecd.config.SharedSso.GitHub;
import dev.pipecd.config.SharedSso.Google;
import dev.pipecd.config.SharedSso.Oidc;
import dev.pipecd.config.read.Fields.Rules;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// One of `sharedSSOConfigs`, and what projects may set for themselves.
final class SharedSsoReader {
    /// A server starts without it, as the public one does.
    private static final String NEEDED = "missing (nobody can log in without it)";

    private static final int WEEK = 7 * 24;
    private static final int CENTURY = 100 * 366 * 24;

    private SharedSsoReader() {}

    /// Of several with one name the last counts, as in the public system.
    ///
    /// @param address of the control plane, where people come back to; may be empty
    static List<SharedSso> read(Field configs, String address) {
        var names = new HashMap<String, Field>();
        var last = new LinkedHashMap<String, SharedSso>();
        for (var sso : configs.each(Rules.STRICT_OR_SNAKE_CASE, one -> read(one, names, address)))
            last.put(sso.name(), sso);
        return List.copyOf(last.values());
    }

    @Keys(
            """
            sharedSSOConfigs[].name | | | What `sharedSSOName` names; of several with one name the last counts. `sharedSSOConfigs` takes keys in snake case too.
            sharedSSOConfigs[].provider | | | [Login elsewhere](../guides/access.md#single-sign-on). Nobody can log in by `GOOGLE`; use `OIDC`.
            sharedSSOConfigs[].sessionTtl | hours | | How long a session lasts.
            """)
    private static SharedSso read(Fields sso, Map<String, Field> names, String address) {
        var named = sso.at("name");
        var name = named.required();
        var before = names.put(name, named);
        if (before != null)
            before.warn(
                    "%s (without effect: a later one has the same name)"
                            .formatted(Telling.quoted(name)));
        var chosen = sso.at("provider");
        var type = chosen.requiredChoice(List.of("GITHUB", "OIDC", "GOOGLE")).orElse("");
        var ttl = Duration.ofHours(sso.at("sessionTtl").count(WEEK, 0, CENTURY));
        var github = sso.at("github");
        var oidc = sso.at("oidc");
        var google = sso.at("google");
        if (type.equals("GOOGLE"))
            chosen.warn(
                    "GOOGLE (nobody can log in with it; OIDC with the issuer https://accounts.google.com works)");
        if (type.equals("GITHUB") && !github.isWritten())
            github.mistake("missing (expected: an object)");
        if (type.equals("OIDC") && !oidc.isWritten()) oidc.mistake("missing (expected: an object)");
        // All that is written is read, so that mistakes in it are told.
        var hub =
                github.section(
                        fields -> github(fields, type.equals("GITHUB") && github.isWritten()));
        var open = oidc.section(fields -> oidc(fields, type.equals("OIDC") && oidc.isWritten()));
        var goog = google.section(fields -> new Google(client(fields, false)));
        if (address.isEmpty() && type.equals("GITHUB"))
            chosen.warn("GITHUB (nobody can log in with it: address is missing)");
        if (address.isEmpty() && type.equals("OIDC") && open.endpoints().redirectUri().isEmpty())
            chosen.warn("OIDC (nobody can log in with it: address and redirectUri are missing)");
        return new SharedSso(
                name, ttl, type.equals("GITHUB") ? hub : type.equals("OIDC") ? open : goog);
    }

    @Keys(
            """
            projectSSO.addresses | | `NETWORK` | Which addresses single sign-on [of a project's own](../guides/access.md#what-a-projects-own-settings-may-name) may name. `PUBLIC`: no private ones. `NETWORK`: these too, but none of this machine and no link-local ones. Ours.
            """)
    static Reach reach(Fields own) {
        return own.at("addresses")
                .choice(Stream.of(Reach.values()).map(Reach::name).toList())
                .map(Reach::valueOf)
                .orElse(Reach.NETWORK);
    }

    @Keys(
            """
            sharedSSOConfigs[].github.clientId, clientSecret | | | Who we are to GitHub.
            sharedSSOConfigs[].oidc.clientId, clientSecret | | | Who we are to the issuer.
            sharedSSOConfigs[].google.clientId, clientSecret | | | Not used yet.
            """)
    private static Client client(Fields fields, boolean used) {
        var id = fields.at("clientId");
        var written = id.secret();
        if (used && !written.isSet()) id.warn(NEEDED);
        return new Client(written, fields.at("clientSecret").secret());
    }

    @Keys(
            """
            sharedSSOConfigs[].github.baseUrl | | github.com | The API of an Enterprise server.
            sharedSSOConfigs[].github.uploadUrl | | | Not used.
            sharedSSOConfigs[].github.proxyUrl | | none | The proxy on the way there.
            """)
    private static GitHub github(Fields github, boolean used) {
        return new GitHub(
                client(github, used),
                github.at("baseUrl").text(),
                github.at("uploadUrl").text(),
                github.at("proxyUrl").secret());
    }

    @Keys(
            """
            sharedSSOConfigs[].oidc.issuer | | | Who vouches for people.
            sharedSSOConfigs[].oidc.redirectUri | | `<address>/auth/callback` | Where people come back to.
            sharedSSOConfigs[].oidc.authorizationEndpoint, tokenEndpoint, userInfoEndpoint | | as the issuer describes itself | Where it is asked.
            sharedSSOConfigs[].oidc.scopes | | `openid` | What is asked for; `openid` is always among it.
            sharedSSOConfigs[].oidc.rolesClaimKey, usernameClaimKey, avatarUrlClaimKey | | [the usual ones](../guides/access.md#single-sign-on) | Which claims tell groups, name and picture.
            sharedSSOConfigs[].oidc.proxyUrl | | none | The proxy on the way there.
            """)
    private static Oidc oidc(Fields oidc, boolean used) {
        var client = client(oidc, used);
        var issuer = oidc.at("issuer");
        if (used && issuer.text().isBlank()) issuer.warn(NEEDED);
        return new Oidc(
                client,
                new Endpoints(
                        issuer.text(),
                        oidc.at("redirectUri").text(),
                        oidc.at("authorizationEndpoint").text(),
                        oidc.at("tokenEndpoint").text(),
                        oidc.at("userInfoEndpoint").text()),
                oidc.at("scopes").texts(),
                new Claims(
                        oidc.at("rolesClaimKey").text(),
                        oidc.at("usernameClaimKey").text(),
                        oidc.at("avatarUrlClaimKey").text()),
                oidc.at("proxyUrl").secret());
    }
}
