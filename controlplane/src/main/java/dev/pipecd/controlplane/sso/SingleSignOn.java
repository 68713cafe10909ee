// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.sso;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.ProjectId;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets people in for whom another system vouches: sends them there, and opens a session for who
/// comes back.
public final class SingleSignOn {
    private static final Logger log = LoggerFactory.getLogger(SingleSignOn.class);
    private static final String CALLBACK = "/auth/callback";

    private final Ways ways;
    private final States states;
    private final Sessions sessions;
    private final String address;
    private final GitHubLogin github;
    private final OidcLogin oidc;

    /// @param address the URL people reach us under
    public SingleSignOn(
            Ways ways, States states, Sessions sessions, String address, InstantSource clock) {
        this.ways = ways;
        this.states = states;
        this.sessions = sessions;
        this.address = address.replaceFirst("/+$", "");
        var web = new Web();
        this.github = new GitHubLogin(web);
        this.oidc = new OidcLogin(web, clock);
    }

    public Answer begin(String project) throws InterruptedException {
        if (project.isBlank()) return new Answer.Refused("The project is needed.");
        var id = new ProjectId(project);
        try {
            var way = ways.find(id);
            if (way.isEmpty()) return nowhere();
            var state = states.open(id);
            return new Answer.GoThere(
                    switch (way.get().provider()) {
                        case Provider.GitHub hub -> github.begin(hub, round(id, hub, state));
                        case Provider.Oidc open -> oidc.begin(open, round(id, open, state));
                    },
                    state);
        } catch (SignOnFailed e) {
            return failed(id, e.text(), e);
        } catch (Problem e) {
            return failed(id, "The single sign-on settings of the project cannot be used.", e);
        }
    }

    public Answer finish(Callback callback) throws InterruptedException {
        var colon = callback.state().indexOf(':');
        var state = colon < 0 ? callback.state() : callback.state().substring(0, colon);
        var project = colon < 0 ? callback.project() : callback.state().substring(colon + 1);
        if (project.isBlank()) return new Answer.Refused("The login was not begun here.");
        var id = new ProjectId(project);
        if (!same(state, callback.cookie()) || !states.isGood(state, id))
            return new Answer.Refused("The login was not begun here, or too long ago. Try again.");
        if (callback.code().isEmpty()) return new Answer.Refused("The login was not granted.");
        try {
            var way = ways.find(id);
            if (way.isEmpty()) return nowhere();
            var identity =
                    switch (way.get().provider()) {
                        case Provider.GitHub hub ->
                                github.finish(hub, round(id, hub, state), callback.code());
                        case Provider.Oidc open ->
                                oidc.finish(open, round(id, open, state), callback.code());
                    };
            return open(way.get(), identity);
        } catch (SignOnFailed e) {
            return failed(id, e.text(), e);
        } catch (Problem e) {
            return failed(id, "The single sign-on settings of the project cannot be used.", e);
        }
    }

    private Answer open(Way way, Identity identity) {
        return way.visitor(identity)
                .<Answer>map(
                        visitor -> new Answer.LoggedIn(sessions.open(visitor), way.sessionLife()))
                .orElseGet(() ->
                        new Answer.Refused(
                                "None of your groups has a role in this project. Ask one of its"
                                        + " administrators."));
    }

    private static boolean same(String state, String cookie) {
        return !state.isEmpty()
                && MessageDigest.isEqual(state.getBytes(UTF_8), cookie.getBytes(UTF_8));
    }

    /// In the public forms, so that what is registered at the other system stays right: GitHub's
    /// carries the project in the URL, the other in the state.
    private Round round(ProjectId project, Provider provider, String state) throws SignOnFailed {
        return switch (provider) {
            case Provider.GitHub _ ->
                    states.round(
                            state, here() + CALLBACK + "?project=" + Web.encoded(project.value()));
            case Provider.Oidc open -> {
                var back = open.redirectUri().isEmpty() ? here() + CALLBACK : open.redirectUri();
                var round = states.round(state, back);
                yield new Round(
                        state + ":" + project.value(), back, round.nonce(), round.verifier());
            }
        };
    }

    private String here() throws SignOnFailed {
        if (address.isEmpty())
            throw new SignOnFailed("The control plane does not know its own address.");
        return address;
    }

    private static Answer nowhere() {
        return new Answer.Refused("Single sign-on is not set up for this project.");
    }

    private static Answer failed(ProjectId project, String text, Exception e) {
        log.warn(
                "single sign-on of project {} failed: {} Check its settings and the other system.",
                project.value(),
                e.getMessage(),
                e);
        return new Answer.Refused("Unable to log in: " + text);
    }

    /// What a browser brings back.
    ///
    /// @param cookie the state as it was given to the browser
    public record Callback(String state, String cookie, String code, String project) {
        @Override
        public String toString() {
            return "Callback[" + project + "]";
        }
    }

    /// What comes of it.
    public sealed interface Answer {
        record GoThere(URI to, String state) implements Answer {}

        record LoggedIn(String token, Duration life) implements Answer {
            @Override
            public String toString() {
                return "LoggedIn";
            }
        }

        record Refused(String text) implements Answer {}
    }
}
