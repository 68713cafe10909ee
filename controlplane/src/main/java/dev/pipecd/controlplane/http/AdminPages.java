// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.ServerBuilder;
import java.util.function.Supplier;

/// What operators and their tools ask: is it up, which version, how does it fare.
public final class AdminPages {
    private static final MediaType PROMETHEUS =
            MediaType.parse("text/plain; version=0.0.4; charset=utf-8");
    private static final String LINKS =
            """
            <!doctype html><title>PipeCD admin</title>
            <ul><li><a href="/healthz">/healthz</a></li>
            <li><a href="/version">/version</a></li>
            <li><a href="/metrics">/metrics</a></li></ul>
            """;

    private final Supplier<byte[]> metrics;
    private final boolean tellMetrics;
    private final String version;

    /// @param metrics as Prometheus reads them; it may take its time
    public AdminPages(Supplier<byte[]> metrics, boolean tellMetrics, String version) {
        this.metrics = metrics;
        this.tellMetrics = tellMetrics;
        this.version = version;
    }

    public void mount(ServerBuilder server) {
        server.service("/", (_, _) -> HttpResponse.of(HttpStatus.OK, MediaType.HTML_UTF_8, LINKS))
                .service("/healthz", (_, _) -> plain("ok"))
                .service("/version", (_, _) -> plain(version))
                .service("/metrics", (call, _) -> Answers.blocking(call, this::metrics));
    }

    private HttpResponse metrics() {
        return HttpResponse.of(
                HttpStatus.OK, PROMETHEUS, tellMetrics ? metrics.get() : new byte[0]);
    }

    private static HttpResponse plain(String text) {
        return HttpResponse.of(HttpStatus.OK, MediaType.PLAIN_TEXT_UTF_8, text);
    }
}
