// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpObject;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.change.Change;
import dev.pipecd.controlplane.change.Changes;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `POST /webhook/…`: a Git server tells of a push, and the agents that watch that branch are told
/// to look now instead of at their next poll.
public final class Webhook {
    private static final Logger log = LoggerFactory.getLogger(Webhook.class);

    /// GitHub sends no more.
    static final int LARGEST_BODY = 25 * 1024 * 1024;

    private static final String BRANCH = "refs/heads/";

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

    private HttpResponse received(HttpRequest request, Sender sender) throws ExecutionException {
        var key = secret.get();
        if (key.isEmpty())
            return Answers.error(
                    HttpStatus.NOT_FOUND,
                    "Webhooks are off. Set `webhook.secret` in the control plane's configuration.");
        var headers = request.headers();
        var isPush = sender.isPush(headers.get(sender.event, ""));
        try (var body = new SignedBody(request.toInputStream(Webhook::data), key)) {
            var push = isPush ? read(body) : Optional.<Push>empty();
            // Only who knows the secret gets further.
            if (!sender.signed(headers.get(sender.proof, ""), body.signature(), key))
                return Answers.error(
                        HttpStatus.UNAUTHORIZED,
                        "%s does not match. Set the same secret at the Git server and in `webhook.secret`."
                                .formatted(sender.proof));
            if (!isPush) return Answers.json(HttpStatus.OK, Map.of("ignored", "not a push"));
            return push.map(this::pushed)
                    .orElseGet(() ->
                            Answers.error(
                                    HttpStatus.BAD_REQUEST,
                                    "body: not JSON (expected: content type application/json). Choose JSON at the Git server."));
        } catch (IOException e) {
            throw new ExecutionException(e.getCause() == null ? e : e.getCause());
        }
    }

    private static HttpData data(HttpObject part) {
        return part instanceof HttpData data ? data : HttpData.empty();
    }

    /// Empty when it is not JSON.
    private static Optional<Push> read(InputStream body) throws IOException {
        try {
            return Optional.of(Push.read(body));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    private HttpResponse pushed(Push push) {
        var ref = push.ref();
        if (!ref.startsWith(BRANCH))
            return Answers.json(HttpStatus.OK, Map.of("ignored", "not a push to a branch"));
        var pushed = new Pushed(ref.substring(BRANCH.length()), push.remotes());
        var told = watching.of(pushed);
        told.forEach(this::tell);
        var agents = told.stream().map(Watched::piped).distinct().count();
        log.info("a push to {} of {}: {} agents told", pushed.branch(), pushed.remotes(), agents);
        return Answers.json(HttpStatus.ACCEPTED, Map.of("agents", agents));
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

    /// Which agents watch what was pushed to.
    public interface Watching {
        List<Watched> of(Pushed pushed);
    }

    /// @param remotes all the names of the repository, as [Remotes] writes them
    public record Pushed(String branch, Set<String> remotes) {
        public Pushed {
            remotes = Set.copyOf(remotes);
        }

        public boolean concerns(String remote, String branch) {
            return this.branch.equals(branch) && remotes.contains(Remotes.normal(remote));
        }
    }

    /// @param repository its id in the agent's configuration
    public record Watched(ProjectId project, PipedId piped, String repository) {}

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

        boolean signed(String presented, String signature, String key) {
            var expected =
                    switch (this) {
                        case GITHUB -> "sha256=" + signature;
                        case GITEA -> signature;
                        case GITLAB -> key;
                    };
            return MessageDigest.isEqual(expected.getBytes(UTF_8), presented.getBytes(UTF_8));
        }

        boolean isPush(String told) {
            return this == GITLAB ? told.equals("Push Hook") : told.equals("push");
        }
    }
}
