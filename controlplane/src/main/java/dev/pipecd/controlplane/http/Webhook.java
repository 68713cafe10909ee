// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST /webhook/…`: a Git server tells of a push, and the agents that watch that branch are told
/// to look now instead of at their next poll.
public final class Webhook {
    private static final Logger log = LoggerFactory.getLogger(Webhook.class);
    static final int LARGEST_BODY = 1024 * 1024;
    private static final String BRANCH = "refs/heads/";
    private static final List<String> URLS =
            List.of(
                    "clone_url",
                    "ssh_url",
                    "html_url",
                    "git_url",
                    "git_http_url",
                    "git_ssh_url",
                    "http_url",
                    "web_url",
                    "homepage",
                    "url");

    private final Supplier<String> secret;
    private final Watching watching;
    private final Changes changes;
    private final InstantSource clock;

    /// @param secret empty when none is configured
    public Webhook(
            Supplier<String> secret, Watching watching, Changes changes, InstantSource clock) {
        this.secret = secret;
        this.watching = watching;
        this.changes = changes;
        this.clock = clock;
    }

    HttpResponse github(ServiceRequestContext call, HttpRequest request) {
        return serve(call, request, Sender.GITHUB);
    }

    HttpResponse gitea(ServiceRequestContext call, HttpRequest request) {
        return serve(call, request, Sender.GITEA);
    }

    HttpResponse gitlab(ServiceRequestContext call, HttpRequest request) {
        return serve(call, request, Sender.GITLAB);
    }

    private HttpResponse serve(ServiceRequestContext call, HttpRequest request, Sender sender) {
        return Answers.blocking(call, () -> received(request, sender));
    }

    private HttpResponse received(HttpRequest request, Sender sender)
            throws InterruptedException, ExecutionException {
        var key = secret.get();
        if (key.isEmpty())
            return Answers.error(
                    HttpStatus.NOT_FOUND,
                    "Webhooks are off. Set `webhook.secret` in the control plane's configuration.");
        var body = Answers.body(request);
        // Before anything of the body is parsed: only who knows the secret gets further.
        if (!sender.signed(body, key))
            return Answers.error(
                    HttpStatus.UNAUTHORIZED,
                    "%s does not match. Set the same secret at the Git server and in `webhook.secret`."
                            .formatted(sender.proof));
        if (!sender.isPush(body.headers().get(sender.event, "")))
            return Answers.json(HttpStatus.OK, Map.of("ignored", "not a push"));
        try {
            return pushed(Answers.JSON.readTree(body.content().array()));
        } catch (IOException e) {
            return Answers.error(
                    HttpStatus.BAD_REQUEST,
                    "body: not JSON (expected: content type application/json). Choose JSON at the Git server.");
        }
    }

    private HttpResponse pushed(JsonNode push) {
        var ref = push.path("ref").asText("");
        if (!ref.startsWith(BRANCH))
            return Answers.json(HttpStatus.OK, Map.of("ignored", "not a push to a branch"));
        var branch = ref.substring(BRANCH.length());
        var remotes = remotes(push);
        var told =
                watching.all().stream()
                        .filter(w -> w.branch().equals(branch))
                        .filter(w -> remotes.contains(Remotes.normal(w.remote())))
                        .toList();
        told.forEach(this::tell);
        var agents = told.stream().map(Watched::piped).distinct().count();
        log.info("a push to {} of {}: {} agents told", branch, remotes, agents);
        return Answers.json(HttpStatus.ACCEPTED, Map.of("agents", agents));
    }

    private static Set<String> remotes(JsonNode push) {
        return Stream.of(push.path("repository"), push.path("project"))
                .flatMap(at -> URLS.stream().map(url -> at.path(url).asText("")))
                .filter(url -> !url.isBlank())
                .map(Remotes::normal)
                .collect(Collectors.toSet());
    }

    private void tell(Watched watched) {
        changes.passOn(
                new Change(
                        changes.latest(),
                        watched.project(),
                        Change.Kind.REPOSITORY,
                        watched.repository(),
                        "",
                        watched.piped().value(),
                        new Change.Deed("webhook", "a push was told of", clock.instant())));
    }

    /// Which agent watches which branch of which repository.
    public interface Watching {
        List<Watched> all();
    }

    /// @param repository its id in the agent's configuration
    public record Watched(
            ProjectId project, PipedId piped, String repository, String remote, String branch) {}

    /// How each Git server proves itself and names the event.
    private enum Sender {
        GITHUB("x-hub-signature-256", "x-github-event"),
        GITEA("x-gitea-signature", "x-gitea-event"),
        GITLAB("x-gitlab-token", "x-gitlab-event");

        private final String proof;
        private final String event;

        Sender(String proof, String event) {
            this.proof = proof;
            this.event = event;
        }

        boolean signed(AggregatedHttpRequest request, String key) {
            var presented = request.headers().get(proof, "");
            var expected =
                    switch (this) {
                        case GITHUB -> "sha256=" + hmac(request.content().array(), key);
                        case GITEA -> hmac(request.content().array(), key);
                        case GITLAB -> key;
                    };
            return MessageDigest.isEqual(expected.getBytes(UTF_8), presented.getBytes(UTF_8));
        }

        boolean isPush(String told) {
            return this == GITLAB ? told.equals("Push Hook") : told.equals("push");
        }

        private static String hmac(byte[] body, String key) {
            try {
                var mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
                return HexFormat.of().formatHex(mac.doFinal(body));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
