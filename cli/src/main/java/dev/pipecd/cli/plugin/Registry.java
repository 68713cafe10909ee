// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/// The part of the OCI distribution protocol that is needed to push: blobs and manifests.
final class Registry implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(15);
    private static final Duration CALL_LIMIT = Duration.ofMinutes(15);

    private final Target target;
    private final HttpClient http;
    private final Authorization authorization;

    Registry(Target target, Login login) {
        this.target = target;
        this.http =
                HttpClient.newBuilder()
                        .connectTimeout(CONNECT_LIMIT)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
        this.authorization = new Authorization(http, target, login);
    }

    void putBlob(Blob blob) throws InterruptedException {
        var there = send(request(target.at("/blobs/" + blob.digest())).HEAD());
        if (there.statusCode() == 200) return;
        var opened = send(request(target.at("/blobs/uploads/")).POST(BodyPublishers.noBody()));
        expect(opened, 202, "to open an upload");
        var location =
                opened.headers()
                        .firstValue("location")
                        .orElseThrow(() -> refused(opened, "to open an upload"));
        var place = opened.uri().resolve(location);
        var digest = URLEncoder.encode(blob.digest(), StandardCharsets.UTF_8);
        var upload =
                URI.create(place + (place.getQuery() == null ? "?" : "&") + "digest=" + digest);
        var stored =
                send(
                        request(upload)
                                .header("Content-Type", "application/octet-stream")
                                .PUT(body(blob)));
        expect(stored, 201, "to take " + blob.digest());
    }

    void putManifest(String reference, String type, Blob manifest) throws InterruptedException {
        var stored =
                send(
                        request(target.at("/manifests/" + reference))
                                .header("Content-Type", type)
                                .PUT(body(manifest)));
        expect(stored, 201, "to take the manifest " + reference);
    }

    /// The length is told beforehand: many registries refuse a body in chunks.
    private static BodyPublisher body(Blob blob) {
        if (blob.size() == 0) return BodyPublishers.noBody();
        return BodyPublishers.fromPublisher(
                BodyPublishers.ofInputStream(blob.content()), blob.size());
    }

    private static HttpRequest.Builder request(URI uri) {
        return HttpRequest.newBuilder(uri).timeout(CALL_LIMIT);
    }

    private static String why(IOException trouble) {
        for (Throwable each = trouble; each != null; each = each.getCause())
            if (each instanceof UnresolvedAddressException) return "the host name is unknown";
        return switch (trouble) {
            case ConnectException _ -> "nothing listens there";
            case HttpTimeoutException _ -> "it did not answer in time";
            default -> String.valueOf(trouble.getMessage());
        };
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws InterruptedException {
        try {
            var first = http.send(authorization.on(request), BodyHandlers.ofString());
            if (first.statusCode() != 401 || !authorization.renewed(first)) return first;
            return http.send(authorization.on(request), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--registry: %s (expected: a registry that answers; %s)"
                            .formatted(target.registry(), why(e)),
                    target.insecure()
                            ? "Check host and port, and that it speaks plain HTTP there."
                            : "Check host and port; --insecure speaks plain HTTP.",
                    e);
        }
    }

    private void expect(HttpResponse<String> answer, int status, String what) {
        if (answer.statusCode() != status) throw refused(answer, what);
    }

    private Problem refused(HttpResponse<String> answer, String what) {
        var denied = answer.statusCode() == 401 || answer.statusCode() == 403;
        return new Problem(
                denied ? Code.PERMISSION_DENIED : Code.SETTING_INVALID,
                "--registry: %s refused %s with status %d (expected: success)%s"
                        .formatted(target.registry(), what, answer.statusCode(), told(answer)),
                denied
                        ? "It was asked as %s: give one who may push to %s."
                                .formatted(authorization.who(), target.repository())
                        : "See what the registry says; --repository must be one it has.");
    }

    private static String told(HttpResponse<String> answer) {
        var body = answer.body().strip();
        return body.isEmpty() || body.toLowerCase(Locale.ROOT).startsWith("<")
                ? ""
                : ": " + body.substring(0, Math.min(body.length(), 300));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
