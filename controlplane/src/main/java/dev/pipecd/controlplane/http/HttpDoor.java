// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.server.Metrics;
import java.util.Map;
import java.util.Set;

/// Every path a browser or a Git server may ask for, and the headers all answers carry.
public final class HttpDoor {
    /// The application loads nothing from elsewhere but people's pictures; its component library
    /// writes styles into the page.
    private static final Map<String, String> SECURITY =
            Map.of(
                    "content-security-policy",
                    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:;"
                            + " font-src 'self' data:; object-src 'none'; base-uri 'self';"
                            // a login elsewhere begins with a form of ours and leads there
                            + " form-action 'self' https: http:; frame-ancestors 'none'",
                    "x-content-type-options",
                    "nosniff",
                    "x-frame-options",
                    "DENY",
                    "referrer-policy",
                    "same-origin");

    static final int NO_BODY = 1024;

    private final LoginPages login;
    private final SsoPages signOn;
    private final AuditExport audit;
    private final ChangesStream changes;
    private final Webhook webhook;
    private final StaticFiles files;
    private final Metrics metrics;

    public HttpDoor(
            LoginPages login,
            SsoPages signOn,
            AuditExport audit,
            ChangesStream changes,
            Webhook webhook,
            StaticFiles files,
            Metrics metrics) {
        this.login = login;
        this.signOn = signOn;
        this.audit = audit;
        this.changes = changes;
        this.webhook = webhook;
        this.files = files;
        this.metrics = metrics;
    }

    public void mount(ServerBuilder server) {
        for (var path : HttpPath.values())
            bind(server, path.text(), path.largestBody(), service(path), path.methods());
        bind(server, "prefix:/assets", NO_BODY, files.assets(), Set.of());
        bind(server, "prefix:/", NO_BODY, files.pages(), Set.of());
    }

    private HttpService service(HttpPath path) {
        return switch (path) {
            case STATIC_LOGIN -> login::staticLogin;
            case LOGIN -> signOn::login;
            case CALLBACK -> signOn::callback;
            case LOGOUT -> login::logout;
            case AUDIT -> audit::serve;
            case CHANGES -> changes::serve;
            case GITHUB -> webhook::github;
            case GITEA -> webhook::gitea;
            case GITLAB -> webhook::gitlab;
        };
    }

    /// @param methods any when empty
    private void bind(
            ServerBuilder server,
            String path,
            int largestBody,
            HttpService service,
            Set<HttpMethod> methods) {
        var binding = server.route().path(path).maxRequestLength(largestBody);
        if (!methods.isEmpty()) binding.methods(methods);
        binding.decorator(HttpDoor::secured)
                .accessLogWriter(
                        done ->
                                metrics.request(
                                        done.responseHeaders().status().code(),
                                        done.requestHeaders().method().name(),
                                        path.replace("prefix:", ""),
                                        done.totalDurationNanos() / 1e6),
                        false)
                .build(service);
    }

    private static HttpResponse secured(
            HttpService next, ServiceRequestContext call, HttpRequest request) throws Exception {
        SECURITY.forEach(call::setAdditionalResponseHeader);
        return next.serve(call, request);
    }
}
