// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pipecd.agent.proxy.ProxyByEnvironment;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One question over HTTP, which JSON answers as a rule, within a time.
final class Asking implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int LARGEST = 8 << 20;
    private static final int LONGEST = 300;
    private static final List<String> REASONS =
            List.of("/error/message", "/error_description", "/message", "/Message", "/__type");

    private final ProxyByEnvironment proxies;
    private final HttpClient client;
    private final HttpClient straight;
    private final Duration patience;

    Asking(Map<String, String> environment) {
        this(environment, PATIENCE);
    }

    Asking(Map<String, String> environment, Duration patience) {
        this.patience = patience;
        this.proxies = new ProxyByEnvironment(environment);
        this.client = client(proxies);
        this.straight = client(HttpClient.Builder.NO_PROXY);
    }

    private static HttpClient client(ProxySelector proxies) {
        return HttpClient.newBuilder()
                .proxy(proxies)
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
    }

    JsonNode ask(HttpRequest.Builder question) throws InterruptedException {
        return answer(client, proxies.request(question), JSON::readTree);
    }

    /// The answer as it is.
    byte[] content(HttpRequest.Builder question) throws InterruptedException {
        return answer(client, proxies.request(question), content -> content);
    }

    /// Of who speaks for this very machine: a proxy would answer for its own, or not at all.
    JsonNode askMachine(HttpRequest.Builder question) throws InterruptedException {
        return answer(straight, question.build(), JSON::readTree);
    }

    /// A request's own time-out ends with the head of the answer; the rest may never come.
    private <T> T answer(HttpClient by, HttpRequest request, Form<T> form)
            throws InterruptedException {
        var who = request.uri().getAuthority();
        var task = new FutureTask<>(() -> form.read(received(by, request)));
        Thread.ofVirtual().name("configuration").start(task);
        try {
            return task.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw unanswered(
                    "%s: no whole answer within %d s".formatted(who, patience.toSeconds()));
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case Problem problem -> problem;
                // Without the text of the exception: it may quote what was answered.
                case IOException broken ->
                        unanswered("%s: %s".formatted(who, broken.getClass().getSimpleName()));
                case null, default -> new IllegalStateException(e);
            };
        } finally {
            task.cancel(true);
        }
    }

    private interface Form<T> {
        T read(byte[] content) throws IOException;
    }

    private static byte[] received(HttpClient by, HttpRequest request)
            throws IOException, InterruptedException {
        var answer = by.send(request, BodyHandlers.ofInputStream());
        try (var body = answer.body()) {
            var content = body.readNBytes(LARGEST);
            if (answer.statusCode() == 200) return content;
            throw unanswered(
                    "%s: answers %d%s"
                            .formatted(
                                    request.uri().getAuthority(),
                                    answer.statusCode(),
                                    said(content)));
        }
    }

    private static String said(byte[] content) {
        try {
            var json = JSON.readTree(content);
            for (var reason : REASONS) {
                var text = json.at(reason).asText("");
                if (!text.isEmpty())
                    return ", \"%s\""
                            .formatted(text.substring(0, Math.min(LONGEST, text.length())));
            }
        } catch (IOException e) {
            return ", not in JSON";
        }
        return "";
    }

    private static Problem unanswered(String what) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                what + " (expected: the agent's configuration)",
                "Check its name, the way to the server, and what the agent's account there may read.");
    }

    @Override
    public void close() {
        client.shutdownNow();
        straight.shutdownNow();
    }
}
