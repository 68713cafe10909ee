// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.release;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Releases as GitHub lists them, asked at most once in a while: a page of ours never waits for
/// GitHub twice, nor fails because of it.
public final class GitHubReleases implements ReleaseSource {
    private static final Logger log = LoggerFactory.getLogger(GitHubReleases.class);
    private static final Duration FRESH = Duration.ofHours(1);
    private static final Duration TRY_AGAIN = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int LARGEST_ANSWER = 4 * 1024 * 1024;

    private final Optional<URI> address;
    private final InstantSource clock;
    private final Duration patience;
    private final ObjectMapper json = new ObjectMapper();
    private List<Release> known = List.of();
    private Instant askAfter = Instant.MIN;

    /// @param address what to ask, or empty to ask nobody
    public GitHubReleases(Optional<URI> address, InstantSource clock) {
        this(address, clock, PATIENCE);
    }

    GitHubReleases(Optional<URI> address, InstantSource clock, Duration patience) {
        this.address = address;
        this.clock = clock;
        this.patience = patience;
    }

    @Override
    public synchronized List<Release> published() {
        if (address.isEmpty() || clock.instant().isBefore(askAfter)) return known;
        try {
            known = read(ask(address.get()));
            askAfter = clock.instant().plus(FRESH);
        } catch (IOException e) {
            log.warn(
                    "released versions of agents: {} does not answer ({}); name another address"
                            + " with --releases-url, or none",
                    address.get(),
                    e.toString());
            askAfter = clock.instant().plus(TRY_AGAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return known;
    }

    private byte[] ask(URI address) throws IOException, InterruptedException {
        try (var client =
                HttpClient.newBuilder()
                        .connectTimeout(patience)
                        .followRedirects(HttpClient.Redirect.NORMAL)
                        .build()) {
            var request =
                    HttpRequest.newBuilder(address)
                            .timeout(patience)
                            .header("Accept", "application/vnd.github+json")
                            .build();
            var answer = client.send(request, BodyHandlers.ofInputStream());
            try (var body = answer.body()) {
                if (answer.statusCode() != 200)
                    throw new IOException("status " + answer.statusCode());
                return body.readNBytes(LARGEST_ANSWER);
            }
        }
    }

    private List<Release> read(byte[] answer) throws IOException {
        var found = new ArrayList<Release>();
        for (JsonNode release : json.readTree(answer)) {
            if (release.path("prerelease").asBoolean() || release.path("draft").asBoolean())
                continue;
            SemanticVersion.parse(release.path("tag_name").asText())
                    .ifPresent(v -> found.add(new Release(v, release.path("body").asText())));
        }
        return List.copyOf(found);
    }
}
