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

    private static final int NO_BODY = 1024;

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
        bind(server, "/auth/login/static", LoginPages.LARGEST_FORM, login::staticLogin);
        bind(server, "/auth/login", LoginPages.LARGEST_FORM, signOn::login);
        bind(server, "/auth/callback", NO_BODY, signOn::callback);
        bind(server, "/auth/logout", NO_BODY, login::logout);
        bind(server, "/audit.jsonl", NO_BODY, audit::serve, HttpMethod.GET);
        bind(server, "/changes", NO_BODY, changes::serve, HttpMethod.GET);
        bind(server, "/webhook/github", Webhook.LARGEST_BODY, webhook::github, HttpMethod.POST);
        bind(server, "/webhook/gitea", Webhook.LARGEST_BODY, webhook::gitea, HttpMethod.POST);
        bind(server, "/webhook/gitlab", Webhook.LARGEST_BODY, webhook::gitlab, HttpMethod.POST);
        bind(server, "prefix:/assets", NO_BODY, files.assets());
        bind(server, "prefix:/", NO_BODY, files.pages());
    }

    private void bind(
            ServerBuilder server,
            String path,
            int largestBody,
            HttpService service,
            HttpMethod... methods) {
        var binding = server.route().path(path).maxRequestLength(largestBody);
        if (methods.length > 0) binding.methods(methods);
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
