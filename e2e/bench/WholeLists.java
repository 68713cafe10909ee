// SPDX-License-Identifier: Apache-2.0
package bench;

import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// What the server's memory comes to when many people ask for all applications at once. The answers are read and thrown away.
final class WholeLists {
    private static final int PEOPLE = 64;

    private final Path dist;
    private final Path folder;

    WholeLists(Path dist, Path folder) {
        this.dist = dist;
        this.folder = folder;
    }

    void run(String engine, Report report) throws Exception {
        var place = Files.createDirectory(folder.resolve("whole-" + engine));
        try (var storage = Storage.of(engine, place)) {
            Stand.start(dist, place, storage).close();
            new Fleet(storage).write(Fleet.APPLICATIONS, 0, Fleet.PIPEDS, 0);
            try (var stand = Stand.start(dist, place, storage)) {
                var size = ask(stand);
                var times = InParallel.all(PEOPLE, _ -> {
                    var began = System.nanoTime();
                    var got = ask(stand);
                    return got == size ? Starts.since(began) : Double.NaN;
                });
                var took = times.stream().mapToDouble(Double::doubleValue).toArray();
                Arrays.sort(took);
                var lost = Arrays.stream(took).filter(Double::isNaN).count();
                report.memory(
                        "%d people ask for all of %,d applications at once, %s: server's memory".formatted(PEOPLE, Fleet.APPLICATIONS, storage.name()),
                        stand.resident("VmHWM"), "≤ 500 MB", 1_908);
                report.row(
                        "  answers of %.0f MB".formatted(size / 1e6),
                        "%d of %d; first after %.1f s, last after %.1f s".formatted(PEOPLE - lost, PEOPLE, took[0] / 1000, took[(int) (PEOPLE - lost - 1)] / 1000),
                        "", "at 11,300 applications", "");
            }
        }
    }

    /// By gRPC-Web, whose answers need not be kept to be read.
    private static long ask(Stand stand) throws Exception {
        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var request =
                    HttpRequest.newBuilder(stand.url("/grpc.service.webservice.WebService/ListApplications"))
                            .header("content-type", "application/grpc-web+proto")
                            .header("cookie", stand.cookie())
                            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5]))
                            .build();
            var answer = http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                return body.transferTo(java.io.OutputStream.nullOutputStream());
            } catch (java.io.IOException e) {
                return -1;
            }
        }
    }
}
