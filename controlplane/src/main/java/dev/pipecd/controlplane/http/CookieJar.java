// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import dev.pipecd.controlplane.access.Devices;
import java.net.URLEncoder;
import java.time.Duration;

/// The cookies of a login, under their public names, and the answers that carry them.
///
/// @param insecure for sites without TLS
public record CookieJar(boolean insecure) {
    static final String DEVICE = "device";
    static final String OWNERS_DEVICE = "opsdevice";
    private static final Duration ERROR_LIFE = Duration.ofMinutes(10);

    String token(String token, Duration life) {
        return cookie("token", token, life, "; HttpOnly", "Strict");
    }

    /// Of the owner's pages; browsers share cookies between the ports of a host.
    String owner(String token, Duration life) {
        return cookie("ops", token, life, "; HttpOnly", "Strict");
    }

    /// Outlives the session, so that whoever guesses from the same address is told apart.
    String device(String device) {
        return cookie(DEVICE, device, Devices.LIFE, "; HttpOnly", "Strict");
    }

    String ownersDevice(String device) {
        return cookie(OWNERS_DEVICE, device, Devices.LIFE, "; HttpOnly", "Strict");
    }

    /// Comes back from the other system's page, which only the lax kind does.
    String state(String state, Duration life) {
        return cookie("state", state, life, "; HttpOnly", "Lax");
    }

    HttpResponse tooMany(Duration wait) {
        var seconds = wait.plusMillis(999).toSeconds();
        return HttpResponse.of(
                failing("Too many attempts to log in. Try again in %d seconds.".formatted(seconds))
                        .add(HttpHeaderNames.RETRY_AFTER, String.valueOf(seconds))
                        .build());
    }

    HttpResponse refused(String text) {
        return HttpResponse.of(failing(text).build());
    }

    /// The page that shows the text reads it from the cookie.
    private ResponseHeadersBuilder failing(String text) {
        var encoded = URLEncoder.encode(text, UTF_8).replace("+", "%20");
        return leading(HttpStatus.SEE_OTHER)
                .add(
                        HttpHeaderNames.SET_COOKIE,
                        cookie("error", encoded, ERROR_LIFE, "", "Strict"));
    }

    static ResponseHeadersBuilder leading(HttpStatus status) {
        return ResponseHeaders.builder(status)
                .add(HttpHeaderNames.LOCATION, "/")
                .add(HttpHeaderNames.CACHE_CONTROL, "no-store");
    }

    private String cookie(
            String name, String value, Duration life, String httpOnly, String sameSite) {
        return "%s=%s; Path=/; Max-Age=%d%s%s; SameSite=%s"
                .formatted(
                        name,
                        value,
                        life.toSeconds(),
                        httpOnly,
                        insecure ? "" : "; Secure",
                        sameSite);
    }
}
