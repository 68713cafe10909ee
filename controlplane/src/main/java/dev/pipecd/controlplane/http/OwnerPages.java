// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.access.OwnerLogin;
import dev.pipecd.controlplane.access.OwnerLogin.Visit;
import dev.pipecd.controlplane.access.StaticLogin;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.server.Addresses;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.domain.Problem;
import io.grpc.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/// The way into the owner's pages: who is not logged in sees the form, and a form that does not
/// carry what only our own pages know does nothing.
public final class OwnerPages {
    private static final int LARGEST_FORM = 16 * 1024;
    private static final Map<String, String> SECURITY =
            Map.of(
                    "content-security-policy",
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none';"
                            + " frame-ancestors 'none'",
                    "x-content-type-options",
                    "nosniff",
                    "x-frame-options",
                    "DENY",
                    "referrer-policy",
                    "no-referrer");

    private final Optional<OwnerLogin> login;
    private final ProjectPages projects;
    private final CookieJar cookies;
    private final Addresses addresses;
    private final Metrics metrics;

    /// @param login empty when the configuration names no owner, and nobody may come in
    public OwnerPages(
            Optional<OwnerLogin> login,
            ProjectPages projects,
            CookieJar cookies,
            Addresses addresses,
            Metrics metrics) {
        this.login = login;
        this.projects = projects;
        this.cookies = cookies;
        this.addresses = addresses;
        this.metrics = metrics;
    }

    public void mount(ServerBuilder server) {
        bind(server, "/", shown((_, visit) -> projects.start(visit)));
        bind(server, "/projects", shown((_, _) -> projects.list()));
        bind(server, "/projects/add", shownOrDone(projects::addForm, projects::add));
        bind(server, "/projects/edit", shownOrDone(projects::editForm, projects::edit));
        bind(server, "/projects/reset-password", shownOrDone(projects::resetForm, projects::reset));
        bind(server, "/projects/delete", shownOrDone(projects::deleteForm, projects::delete));
        bind(server, "/audit", shown(projects::deeds));
        bind(server, "/login", this::logIn);
        bind(server, "/logout", shownOrDone((_, visit) -> projects.start(visit), this::logOut));
    }

    private void bind(ServerBuilder server, String path, HttpService service) {
        server.route()
                .path(path)
                .methods(HttpMethod.GET, HttpMethod.POST)
                .maxRequestLength(LARGEST_FORM)
                .decorator(OwnerPages::secured)
                .accessLogWriter(
                        done ->
                                metrics.request(
                                        done.responseHeaders().status().code(),
                                        done.requestHeaders().method().name(),
                                        path,
                                        done.totalDurationNanos() / 1e6),
                        false)
                .build(service);
    }

    private static HttpResponse secured(
            HttpService next, ServiceRequestContext call, HttpRequest request) throws Exception {
        SECURITY.forEach(call::setAdditionalResponseHeader);
        return next.serve(call, request);
    }

    private HttpService shown(Look look) {
        return shownOrDone(look, (_, visit) -> projects.start(visit));
    }

    private HttpService shownOrDone(Look look, Look deed) {
        return (call, request) -> Answers.blocking(call, () -> page(call, request, look, deed));
    }

    private HttpResponse page(ServiceRequestContext call, HttpRequest request, Look look, Look deed)
            throws InterruptedException, ExecutionException {
        var given = given(request);
        if (login.isEmpty()) return nobody();
        var visit = token(request).flatMap(login.get()::visit);
        if (visit.isEmpty()) return form(HttpStatus.UNAUTHORIZED, Html.NONE);
        if (request.method() != HttpMethod.POST)
            return told(() -> look.answer(call.queryParams(), visit.get()));
        if (!visit.get().isOf(given.get("form", "")))
            return Html.of("<p>This form was not made for you. Open the page and try again.</p>")
                    .answer(HttpStatus.FORBIDDEN, "Not done");
        var origin = new Origin(Origin.Via.WEB, addresses.of(call, request)).in(Context.current());
        return told(() -> Answers.within(origin, () -> deed.answer(given, visit.get())));
    }

    /// Read also by who is refused: an answer before the end of a request may be lost with it.
    private static QueryParams given(HttpRequest request)
            throws InterruptedException, ExecutionException {
        return QueryParams.fromQueryString(Answers.body(request).contentUtf8());
    }

    private static HttpResponse told(Answers.Page page)
            throws InterruptedException, ExecutionException {
        try {
            return page.answer();
        } catch (Problem e) {
            return Html.of(
                            "<p class=\"problem\">%s</p><p><a href=\"/projects\">Projects</a></p>",
                            e.told())
                    .answer(HttpStatus.BAD_REQUEST, "Not done");
        }
    }

    private HttpResponse logIn(ServiceRequestContext call, HttpRequest request) {
        return Answers.blocking(call, () -> loggedIn(call, request));
    }

    private HttpResponse loggedIn(ServiceRequestContext call, HttpRequest request)
            throws InterruptedException, ExecutionException {
        var given = given(request);
        if (login.isEmpty()) return nobody();
        if (request.method() != HttpMethod.POST) return form(HttpStatus.OK, Html.NONE);
        var address = addresses.of(call, request);
        var origin = new Origin(Origin.Via.WEB, address).in(Context.current());
        var answer =
                Answers.within(
                        origin,
                        () ->
                                login.get()
                                        .login(
                                                given.get("username", ""),
                                                given.get("password", ""),
                                                LoginPages.from(
                                                        address,
                                                        request,
                                                        CookieJar.OWNERS_DEVICE)));
        return switch (answer) {
            case StaticLogin.Answer.LoggedIn(var token, var device) ->
                    HttpResponse.of(
                            leading(token, OwnerLogin.life())
                                    .add(HttpHeaderNames.SET_COOKIE, cookies.ownersDevice(device))
                                    .build());
            case StaticLogin.Answer.Refused() ->
                    form(
                            HttpStatus.UNAUTHORIZED,
                            Html.of("<p class=\"problem\">Name or password is wrong.</p>"));
            case StaticLogin.Answer.TooManyAttempts(var wait) ->
                    form(
                            HttpStatus.TOO_MANY_REQUESTS,
                            Html.of(
                                    "<p class=\"problem\">Too many attempts. Try again in %s"
                                            + " seconds.</p>",
                                    wait.toSeconds() + 1));
        };
    }

    private HttpResponse logOut(QueryParams given, Visit visit) {
        login.ifPresent(l -> l.end(visit.token()));
        return HttpResponse.of(leading("", Duration.ZERO).build());
    }

    private ResponseHeadersBuilder leading(String token, Duration life) {
        return CookieJar.leading(HttpStatus.SEE_OTHER)
                .add(HttpHeaderNames.SET_COOKIE, cookies.owner(token, life));
    }

    private static Optional<String> token(HttpRequest request) {
        return Cookies.named("ops", Answers.cookies(request.headers()));
    }

    private static HttpResponse nobody() {
        return Html.of(
                        "<p>Nobody may come in here, because the configuration names no owner. Set"
                                + " <code>ops.owner.username</code> and"
                                + " <code>ops.owner.passwordHash</code>, then start again.</p>")
                .answer(HttpStatus.FORBIDDEN, "Closed");
    }

    private static HttpResponse form(HttpStatus status, Html above) {
        return Html.of(
                        """
                        %s<form method="post" action="/login">
                        <label>Name <input name="username" autocomplete="username" required></label>
                        <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
                        <button>Log in</button></form>
                        """,
                        above)
                .answer(status, "Log in");
    }

    /// A page, or what a form does.
    interface Look {
        HttpResponse answer(QueryParams given, Visit visit)
                throws InterruptedException, ExecutionException;
    }
}
