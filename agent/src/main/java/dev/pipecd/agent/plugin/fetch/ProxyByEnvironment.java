// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.fetch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
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
        var proxy =
                variable(uri.getScheme().toUpperCase(Locale.ROOT) + "_PROXY")
                        .filter(_ -> !isDirect(uri));
        return List.of(proxy.map(ProxyByEnvironment::proxy).orElse(Proxy.NO_PROXY));
    }

    private static Proxy proxy(String written) {
        var uri = URI.create(written.contains("://") ? written : "http://" + written);
        var port = uri.getPort() > 0 ? uri.getPort() : 80;
        return new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(uri.getHost(), port));
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
