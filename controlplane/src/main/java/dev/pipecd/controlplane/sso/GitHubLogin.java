// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/// Login by way of GitHub or a GitHub Enterprise server.
final class GitHubLogin {
    private static final String WEB = "https://github.com";
    private static final String API = "https://api.github.com";
    private static final String API_OF_A_SERVER = "/api/v3";
    private static final int PAGE = 100;
    private static final int MOST_PAGES = 100;

    private final Web web;

    GitHubLogin(Web web) {
        this.web = web;
    }

    URI begin(Provider.GitHub github, Round round) throws SignOnFailed {
        var parameters = new LinkedHashMap<String, String>();
        parameters.put("access_type", "online");
        parameters.put("client_id", github.client().id());
        parameters.put("prompt", "consent");
        parameters.put("redirect_uri", round.redirectUri());
        parameters.put("response_type", "code");
        parameters.put("scope", "read:org");
        parameters.put("state", round.state());
        parameters.put("code_challenge", States.challenge(round.verifier()));
        parameters.put("code_challenge_method", "S256");
        return Web.withQuery(site(github, "/login/oauth/authorize"), parameters);
    }

    Identity finish(Provider.GitHub github, Round round, String code)
            throws SignOnFailed, InterruptedException {
        var token = token(github, round, code);
        var user = ask(github, "/user", token);
        var login = user.path("login").asText("");
        if (login.isEmpty()) throw new SignOnFailed("GitHub did not say who you are.");
        return new Identity(login, user.path("avatar_url").asText(""), teams(github, token));
    }

    private String token(Provider.GitHub github, Round round, String code)
            throws SignOnFailed, InterruptedException {
        var answer =
                web.post(
                        site(github, "/login/oauth/access_token"),
                        github.route(),
                        Map.of(
                                "client_id", github.client().id(),
                                "client_secret", github.client().secret(),
                                "code", code,
                                "code_verifier", round.verifier(),
                                "redirect_uri", round.redirectUri(),
                                "grant_type", "authorization_code"));
        var token = answer.path("access_token").asText("");
        if (token.isEmpty()) throw new SignOnFailed("GitHub did not accept the login.");
        return token;
    }

    /// All pages: whose team stands on the second page belongs to it all the same.
    private Set<String> teams(Provider.GitHub github, String token)
            throws SignOnFailed, InterruptedException {
        var teams = new LinkedHashSet<String>();
        for (var page = 1; page <= MOST_PAGES; page++) {
            var found = ask(github, "/user/teams?per_page=%d&page=%d".formatted(PAGE, page), token);
            for (var team : found)
                teams.add(
                        team.path("organization").path("login").asText("")
                                + "/"
                                + team.path("slug").asText(""));
            if (found.size() < PAGE) break;
        }
        return teams;
    }

    private JsonNode ask(Provider.GitHub github, String path, String token)
            throws SignOnFailed, InterruptedException {
        var base = github.baseUrl().isEmpty() ? API : api(github.baseUrl());
        var uri = Web.uri(base + path, "baseUrl");
        return web.get(
                uri,
                github.route(),
                "authorization",
                "Bearer " + token,
                "x-github-api-version",
                "2022-11-28");
    }

    /// Of the server or of its API, as in the public system.
    private static String api(String baseUrl) {
        var base = baseUrl.replaceFirst("/+$", "");
        return base.endsWith(API_OF_A_SERVER) ? base : base + API_OF_A_SERVER;
    }

    /// People log in at the root of the server, whether or not the base URL is that of its API.
    private static URI site(Provider.GitHub github, String path) throws SignOnFailed {
        if (github.baseUrl().isEmpty()) return URI.create(WEB + path);
        return Web.uri(github.baseUrl(), "baseUrl").resolve(path);
    }
}
