// SPDX-License-Identifier: Apache-2.0
package bench;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Hears from the server, as a browser does, whose stages tell lines.
final class Lines implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("\"kind\": ?\"stage-log\", ?\"id\": ?\"(?<deployment>[^\"]+)\"");
    private static final long LONGEST = 120_000_000_000L;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Heard> heard = new CopyOnWriteArrayList<>();
    private volatile boolean broken;

    Lines(Stand stand) {
        var request = HttpRequest.newBuilder(stand.url("/changes")).header("cookie", stand.cookie()).build();
        Thread.ofVirtual().start(() -> follow(request));
    }

    private record Heard(String deployment, double moment) {}

    private void follow(HttpRequest request) {
        try {
            http.send(request, HttpResponse.BodyHandlers.ofLines()).body().forEach(this::hear);
        } catch (Exception e) {
            // Also the usual end: the client is closed.
        }
        broken = true;
    }

    private void hear(String event) {
        if (event.equals("event: reset")) broken = true; // too much at once: some was not told
        var found = LINE.matcher(event);
        if (found.find()) heard.add(new Heard(found.group("deployment"), System.currentTimeMillis()));
    }

    /// When the last of so many deployments told its first line after that moment, in milliseconds as that is.
    double awaitFirst(int deployments, double after) throws InterruptedException {
        for (var end = System.nanoTime() + LONGEST; System.nanoTime() < end && !broken; TimeUnit.MILLISECONDS.sleep(100)) {
            var last = last(deployments, after);
            if (last.isPresent()) return last.getAsDouble();
        }
        throw new IllegalStateException(
                "lines of stages: of %d deployments (expected: of %d)".formatted(heard.stream().map(Heard::deployment).distinct().count(), deployments));
    }

    private OptionalDouble last(int deployments, double after) {
        var first = heard.stream().filter(line -> line.moment >= after).collect(Collectors.toMap(Heard::deployment, Heard::moment, Math::min));
        return first.size() < deployments ? OptionalDouble.empty() : first.values().stream().mapToDouble(moment -> moment).max();
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
