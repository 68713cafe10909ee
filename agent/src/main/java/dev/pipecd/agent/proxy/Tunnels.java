// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.proxy;

import io.grpc.HttpConnectProxiedSocketAddress;
import io.grpc.ProxiedSocketAddress;
import io.grpc.ProxyDetector;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Leads gRPC through the proxy of `HTTPS_PROXY`, protected or not, as the public agent is led.
public final class Tunnels implements ProxyDetector {
    private static final String SCHEME = "https";

    private final ProxyByEnvironment proxies;

    private Tunnels(ProxyByEnvironment proxies) {
        this.proxies = proxies;
    }

    /// Empty when the environment names no proxy: what else Java knows of one then holds. A
    /// `Problem` says why the one it names cannot be used.
    ///
    /// @param address `host:port`
    public static Optional<Tunnels> to(String address, ProxyByEnvironment proxies) {
        if (!proxies.speaksOf(SCHEME)) return Optional.empty();
        var _ = proxies.hop(SCHEME, address.replaceFirst(":\\d+$", ""));
        return Optional.of(new Tunnels(proxies));
    }

    @Override
    public @Nullable ProxiedSocketAddress proxyFor(SocketAddress target) throws IOException {
        if (!(target instanceof InetSocketAddress to)) return null;
        var hop = proxies.hop(SCHEME, to.getHostString());
        if (hop.isEmpty()) return null;
        // Looked up each time: it may have moved.
        var proxy = new InetSocketAddress(hop.get().host(), hop.get().port());
        if (proxy.isUnresolved()) throw new IOException("proxy %s is not found".formatted(proxy));
        var way =
                HttpConnectProxiedSocketAddress.newBuilder()
                        .setTargetAddress(to)
                        .setProxyAddress(proxy);
        if (hop.get().wantsLogin())
            way.setUsername(hop.get().user()).setPassword(hop.get().password());
        return way.build();
    }
}
