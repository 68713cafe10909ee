// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// A browser's end of a stream of changes.
final class EventReader implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    static final Event END = new Event("end", "", "");

    final int status;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private EventReader(RunningServer server, String path, String... headers) throws Exception {
        var response =
                client.send(
                        server.request("gateway", path, headers).build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        status = response.statusCode();
        Thread.ofVirtual().start(() -> read(response.body()));
    }

    static EventReader open(RunningServer server, String path, String... headers) throws Exception {
        return new EventReader(server, path, headers);
    }

    private void read(InputStream body) {
        try (var lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            var fields = new ArrayList<String>();
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty()) {
                    fields.add(line);
                    continue;
                }
                events.add(
                        new Event(
                                field(fields, "event: "),
                                field(fields, "id: "),
                                field(fields, "data: ")));
                fields.clear();
            }
        } catch (IOException | UncheckedIOException e) {
            // the stream was cut: its end is told below
        }
        events.add(END);
    }

    private static String field(List<String> fields, String name) {
        return fields.stream()
                .filter(f -> f.startsWith(name))
                .map(f -> f.substring(name.length()))
                .findFirst()
                .orElse("");
    }

    /// The next event that is not a keep-alive.
    Event next() throws InterruptedException {
        return next(e -> !e.name().isEmpty());
    }

    Event next(Predicate<Event> wanted) throws InterruptedException {
        while (true) {
            var event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (event == null) throw new AssertionError("nothing came within " + PATIENCE);
            if (wanted.test(event)) return event;
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    /// A keep-alive has no name.
    record Event(String name, String id, String data) {}
}
