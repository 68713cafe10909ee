// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.proxy;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way out as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name it, in either case, with the
/// login a proxy wants.
public final class ProxyByEnvironment extends ProxySelector {
    private static final Logger log = LoggerFactory.getLogger(ProxyByEnvironment.class);
    private static final String TUNNELING = "jdk.http.auth.tunneling.disabledSchemes";

    static {
        // Java shows no password to a proxy it asks for a tunnel, unless told so before the first
        // client is made; every client of the agent is made with one of these.
        if (System.getProperty(TUNNELING) == null) System.setProperty(TUNNELING, "");
    }

    private final Map<String, String> environment;
    private final NoProxy without;

    public ProxyByEnvironment(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
        this.without = new NoProxy(variable("NO_PROXY").orElse(""));
    }

    /// A proxy; its password is shown to nobody else.
    record Hop(String host, int port, String user, String password) {
        boolean wantsLogin() {
            return !user.isEmpty();
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    @Override
    public List<Proxy> select(URI uri) {
        return List.of(
                hop(uri.getScheme(), uri.getHost())
                        .map(hop ->
                                new Proxy(
                                        Proxy.Type.HTTP,
                                        InetSocketAddress.createUnresolved(hop.host, hop.port)))
                        .orElse(Proxy.NO_PROXY));
    }

    /// The request, with the login of the proxy on its way; a `Problem` says why that proxy cannot
    /// be used.
    public HttpRequest request(HttpRequest.Builder request) {
        var to = request.build().uri();
        hop(to.getScheme(), to.getHost())
                .filter(Hop::wantsLogin)
                .ifPresent(hop -> request.setHeader("Proxy-Authorization", basic(hop)));
        return request.build();
    }

    private static String basic(Hop hop) {
        var pair = hop.user + ":" + hop.password;
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    /// Whom to ask on the way to this address; nobody when the way is direct.
    Optional<Hop> hop(String scheme, String host) {
        return variable(nameFor(scheme))
                .filter(_ -> !without.holds(host))
                .map(written -> hop(written, nameFor(scheme), host));
    }

    /// Whether the environment has a word on addresses of this kind.
    boolean speaksOf(String scheme) {
        return variable(nameFor(scheme)).isPresent();
    }

    private static String nameFor(String scheme) {
        return scheme.toUpperCase(Locale.ROOT) + "_PROXY";
    }

    /// What is written is not quoted: it may hold a password.
    private static Hop hop(String written, String name, String to) {
        URI uri;
        try {
            uri = new URI(written.contains("://") ? written : "http://" + written);
        } catch (URISyntaxException notQuoted) {
            throw unusable(name, "no address", "Correct the variable.");
        }
        var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        var login = Optional.ofNullable(uri.getUserInfo()).orElse("");
        // A password goes only where it was meant to go: nothing here speaks TLS with a proxy.
        if (!scheme.equals("http") && !(scheme.equals("https") && login.isEmpty()))
            throw unusable(
                    name,
                    "a proxy of the kind " + scheme,
                    "Name an HTTP proxy, or put %s into NO_PROXY.".formatted(to));
        if (uri.getHost() == null) throw unusable(name, "no address", "Correct the variable.");
        var parts = login.split(":", 2);
        return new Hop(
                uri.getHost(),
                uri.getPort() > 0 ? uri.getPort() : 80,
                parts[0],
                parts.length > 1 ? parts[1] : "");
    }

    private static Problem unusable(String name, String what, String advice) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %s (expected: http://HOST:PORT)".formatted(name, what),
                advice);
    }

    private Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name))
                .or(() -> Optional.ofNullable(environment.get(name.toLowerCase(Locale.ROOT))))
                .filter(value -> !value.isBlank());
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException e) {
        log.warn("proxy {} for {} cannot be reached: {}", address, uri.getHost(), e.getMessage());
    }
}
