// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.access.StaticLogin;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ExecutionException;

/// Logging in and out: plain form posts that set cookies and lead back to the start page.
public final class LoginPages {
    static final int LARGEST_FORM = 16 * 1024;
    private static final Duration ERROR_LIFE = Duration.ofMinutes(10);

    private final StaticLogin login;
    private final boolean insecureCookie;
    private final boolean trustForwardedFor;

    public LoginPages(StaticLogin login, boolean insecureCookie, boolean trustForwardedFor) {
        this.login = login;
        this.insecureCookie = insecureCookie;
        this.trustForwardedFor = trustForwardedFor;
    }

    HttpResponse staticLogin(ServiceRequestContext call, HttpRequest request) {
        if (request.method() != HttpMethod.POST)
            return refused("Log in with the form of the login page.");
        return Answers.blocking(call, () -> posted(call, request));
    }

    private HttpResponse posted(ServiceRequestContext call, HttpRequest request)
            throws InterruptedException, ExecutionException {
        var form = QueryParams.fromQueryString(Answers.body(request).contentUtf8());
        var project = form.get("project", "");
        var username = form.get("username", "");
        var password = form.get("password", "");
        if (project.isBlank() || username.isBlank() || password.isEmpty())
            return refused("Project, user name and password are all needed.");
        return switch (login.login(project, username, password, address(call, request))) {
            case StaticLogin.Answer.LoggedIn(var token) -> loggedIn(token);
            case StaticLogin.Answer.Refused() ->
                    refused("Unable to log in: project, user name or password is wrong.");
            case StaticLogin.Answer.TooManyAttempts(var wait) -> tooMany(wait);
        };
    }

    private HttpResponse loggedIn(String token) {
        return HttpResponse.of(
                leading(HttpStatus.FOUND)
                        .add(
                                HttpHeaderNames.SET_COOKIE,
                                cookie("token", token, Sessions.LIFE, true))
                        .build());
    }

    private HttpResponse tooMany(Duration wait) {
        var seconds = wait.plusMillis(999).toSeconds();
        return HttpResponse.of(
                failing("Too many attempts to log in. Try again in %d seconds.".formatted(seconds))
                        .add(HttpHeaderNames.RETRY_AFTER, String.valueOf(seconds))
                        .build());
    }

    private HttpResponse refused(String text) {
        return HttpResponse.of(failing(text).build());
    }

    HttpResponse logout(ServiceRequestContext call, HttpRequest request) {
        return HttpResponse.of(
                leading(HttpStatus.FOUND)
                        .add(HttpHeaderNames.SET_COOKIE, cookie("token", "", Duration.ZERO, true))
                        .add(HttpHeaderNames.SET_COOKIE, cookie("state", "", Duration.ZERO, true))
                        .build());
    }

    /// The page that shows the text reads it from the cookie.
    private ResponseHeadersBuilder failing(String text) {
        var encoded = URLEncoder.encode(text, UTF_8).replace("+", "%20");
        return leading(HttpStatus.SEE_OTHER)
                .add(HttpHeaderNames.SET_COOKIE, cookie("error", encoded, ERROR_LIFE, false));
    }

    private static ResponseHeadersBuilder leading(HttpStatus status) {
        return ResponseHeaders.builder(status)
                .add(HttpHeaderNames.LOCATION, "/")
                .add(HttpHeaderNames.CACHE_CONTROL, "no-store");
    }

    private String cookie(String name, String value, Duration life, boolean httpOnly) {
        return name
                + "="
                + value
                + "; Path=/; Max-Age="
                + life.toSeconds()
                + (httpOnly ? "; HttpOnly" : "")
                + (insecureCookie ? "" : "; Secure")
                + "; SameSite=Strict";
    }

    /// The header is believed only when an operator says that a proxy of theirs writes it.
    private String address(ServiceRequestContext call, HttpRequest request) {
        var forwarded = request.headers().get(HttpHeaderNames.X_FORWARDED_FOR, "");
        if (trustForwardedFor && !forwarded.isBlank())
            return forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
        return network(call.remoteAddress().getAddress());
    }

    /// Whoever has one IPv6 address has the 2^64 beside it.
    private static String network(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), 8))
                : address.getHostAddress();
    }
}
