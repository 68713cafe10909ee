// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.config.ControlPlaneConfig.Reach;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.access.Network;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.access.StaticLogin;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.project.SsoAddresses;
import dev.pipecd.controlplane.server.Addresses;
import io.grpc.Context;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

/// Logging in and out: plain form posts that set cookies and lead back to the start page.
public final class LoginPages {
    static final int LARGEST_FORM = 16 * 1024;
    private static final SsoAddresses PUBLIC = new SsoAddresses(Reach.PUBLIC);

    private final StaticLogin login;
    private final Sessions sessions;
    private final CookieJar cookies;
    private final Addresses addresses;

    public LoginPages(
            StaticLogin login, Sessions sessions, CookieJar cookies, Addresses addresses) {
        this.login = login;
        this.sessions = sessions;
        this.cookies = cookies;
        this.addresses = addresses;
    }

    HttpResponse staticLogin(ServiceRequestContext call, HttpRequest request) {
        if (request.method() != HttpMethod.POST)
            return cookies.refused("Log in with the form of the login page.");
        return Answers.blocking(call, () -> posted(call, request));
    }

    private HttpResponse posted(ServiceRequestContext call, HttpRequest request)
            throws InterruptedException, ExecutionException {
        var form = QueryParams.fromQueryString(Answers.body(request).contentUtf8());
        var project = form.get("project", "");
        var username = form.get("username", "");
        var password = form.get("password", "");
        if (project.isBlank() || username.isBlank() || password.isEmpty())
            return cookies.refused("Project, user name and password are all needed.");
        var address = addresses.of(call, request);
        var origin = new Origin(Origin.Via.WEB, address).in(Context.current());
        var answer =
                Answers.within(
                        origin,
                        () ->
                                login.login(
                                        project,
                                        username,
                                        password,
                                        from(address, request, CookieJar.DEVICE)));
        return switch (answer) {
            case StaticLogin.Answer.LoggedIn(var token, var device) -> loggedIn(token, device);
            case StaticLogin.Answer.Refused() ->
                    cookies.refused("Unable to log in: project, user name or password is wrong.");
            case StaticLogin.Answer.TooManyAttempts(var wait) -> cookies.tooMany(wait);
        };
    }

    static StaticLogin.From from(String address, HttpRequest request, String cookie) {
        return new StaticLogin.From(
                Network.of(address),
                client(address, request.headers().getAll(HttpHeaderNames.X_FORWARDED_FOR)),
                Cookies.named(cookie, Answers.cookies(request.headers())).orElse(""));
    }

    /// Whom a proxy names that is not believed; the last was added by the one next to us. Anybody
    /// can write the header: who comes from the public network is taken for no proxy. Where it is
    /// believed, this is the address itself.
    static String client(String address, List<String> forwarded) {
        if (forwarded.isEmpty()) return "";
        var last = forwarded.getLast();
        var client = last.substring(last.lastIndexOf(',') + 1).strip();
        try {
            var named = InetAddress.ofLiteral(client);
            var proxy = InetAddress.ofLiteral(address);
            return named.equals(proxy) || PUBLIC.allow(proxy) ? "" : Network.of(client);
        } catch (IllegalArgumentException e) {
            return ""; // no address
        }
    }

    private HttpResponse loggedIn(String token, String device) {
        return HttpResponse.of(
                CookieJar.leading(HttpStatus.FOUND)
                        .add(HttpHeaderNames.SET_COOKIE, cookies.token(token, Sessions.LIFE))
                        .add(HttpHeaderNames.SET_COOKIE, cookies.device(device))
                        .build());
    }

    /// Whoever asks for it: the session of the cookie is ended for good, then the cookies.
    HttpResponse logout(ServiceRequestContext call, HttpRequest request) {
        return Answers.blocking(
                call,
                () -> {
                    var origin =
                            new Origin(Origin.Via.WEB, addresses.of(call, request))
                                    .in(Context.current());
                    var token = Cookies.named("token", Answers.cookies(request.headers()));
                    origin.run(() -> token.ifPresent(sessions::end));
                    return HttpResponse.of(
                            CookieJar.leading(HttpStatus.FOUND)
                                    .add(
                                            HttpHeaderNames.SET_COOKIE,
                                            cookies.token("", Duration.ZERO))
                                    .add(
                                            HttpHeaderNames.SET_COOKIE,
                                            cookies.state("", Duration.ZERO))
                                    .build());
                });
    }
}
