// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way out as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name it, in either case.
public final class ProxyByEnvironment extends ProxySelector {
    private static final Logger log = LoggerFactory.getLogger(ProxyByEnvironment.class);

    private final Map<String, String> environment;

    public ProxyByEnvironment(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    @Override
    public List<Proxy> select(URI uri) {
        return List.of(way(uri).map(proxy -> proxy(proxy, nameFor(uri))).orElse(Proxy.NO_PROXY));
    }

    /// A `Problem` says why nothing can be asked for on the way to this address: nobody logs in at
    /// a proxy, and what it answers then helps no reader.
    void requireWay(URI uri) {
        var name = nameFor(uri);
        var written = way(uri);
        if (written.isEmpty()) return;
        proxy(written.get(), name);
        if (written.get().contains("@"))
            throw unusable(
                    name,
                    "a proxy with user and password (expected: http://HOST:PORT)",
                    "The agent does not log in at proxies: name one that asks for no password, or put %s into NO_PROXY."
                            .formatted(uri.getHost()));
    }

    private Optional<String> way(URI uri) {
        return variable(nameFor(uri)).filter(_ -> !isDirect(uri));
    }

    private static String nameFor(URI uri) {
        return uri.getScheme().toUpperCase(Locale.ROOT) + "_PROXY";
    }

    /// What is written is not quoted: it may hold a password.
    private static Proxy proxy(String written, String name) {
        try {
            var uri = new URI(written.contains("://") ? written : "http://" + written);
            var port = uri.getPort() > 0 ? uri.getPort() : 80;
            if (uri.getHost() != null)
                return new Proxy(
                        Proxy.Type.HTTP, InetSocketAddress.createUnresolved(uri.getHost(), port));
        } catch (URISyntaxException notQuoted) {
            log.debug("{} is no address", name);
        }
        throw unusable(name, "no address (expected: http://HOST:PORT)", "Correct the variable.");
    }

    private static Problem unusable(String name, String what, String advice) {
        return new Problem(Problem.Code.SETTING_INVALID, name + ": " + what, advice);
    }

    private boolean isDirect(URI uri) {
        var host = uri.getHost().toLowerCase(Locale.ROOT);
        if (host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]"))
            return true;
        for (var rule : variable("NO_PROXY").orElse("").toLowerCase(Locale.ROOT).split(",", -1)) {
            var name = rule.strip().replaceFirst(":\\d+$", "").replaceFirst("^\\*?\\.", "");
            if (rule.strip().equals("*")) return true;
            if (!name.isEmpty() && (host.equals(name) || host.endsWith("." + name))) return true;
        }
        return false;
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
