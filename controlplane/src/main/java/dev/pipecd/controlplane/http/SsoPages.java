// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.pipecd.controlplane.access.Cookies;
import dev.pipecd.controlplane.change.Origin;
import dev.pipecd.controlplane.server.Addresses;
import dev.pipecd.controlplane.sso.SingleSignOn;
import dev.pipecd.controlplane.sso.SingleSignOn.Answer;
import dev.pipecd.controlplane.sso.States;
import io.grpc.Context;
import java.time.Duration;

/// The two halves of a login elsewhere: the form that leads there, and the page people come back
/// to.
public final class SsoPages {
    private final SingleSignOn signOn;
    private final CookieJar cookies;
    private final Addresses addresses;

    public SsoPages(SingleSignOn signOn, CookieJar cookies, Addresses addresses) {
        this.signOn = signOn;
        this.cookies = cookies;
        this.addresses = addresses;
    }

    HttpResponse login(ServiceRequestContext call, HttpRequest request) {
        if (request.method() != HttpMethod.POST)
            return cookies.refused("Log in with the form of the login page.");
        return Answers.blocking(
                call,
                () -> {
                    var form = QueryParams.fromQueryString(Answers.body(request).contentUtf8());
                    return told(signOn.begin(form.get("project", "")));
                });
    }

    HttpResponse callback(ServiceRequestContext call, HttpRequest request) {
        if (request.method() != HttpMethod.GET)
            return cookies.refused("Log in with the form of the login page.");
        var query = call.queryParams();
        var callback =
                new SingleSignOn.Callback(
                        query.get("state", ""),
                        Cookies.named("state", Answers.cookies(request.headers())).orElse(""),
                        query.get("code", ""),
                        query.get("project", ""));
        var origin = new Origin(Origin.Via.WEB, addresses.of(call, request)).in(Context.current());
        return Answers.blocking(
                call, () -> told(Answers.within(origin, () -> signOn.finish(callback))));
    }

    private HttpResponse told(Answer answer) {
        return switch (answer) {
            case Answer.GoThere(var to, var state) ->
                    HttpResponse.of(
                            CookieJar.leading(HttpStatus.FOUND)
                                    .set(HttpHeaderNames.LOCATION, to.toString())
                                    .add(
                                            HttpHeaderNames.SET_COOKIE,
                                            cookies.state(state, States.LIFE))
                                    .build());
            case Answer.LoggedIn(var token, var life) ->
                    HttpResponse.of(
                            CookieJar.leading(HttpStatus.FOUND)
                                    .add(HttpHeaderNames.SET_COOKIE, cookies.token(token, life))
                                    .add(
                                            HttpHeaderNames.SET_COOKIE,
                                            cookies.state("", Duration.ZERO))
                                    .build());
            case Answer.Refused(var text) -> cookies.refused(text);
        };
    }
}
