// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.launch.Version;
import dev.pipecd.controlplane.access.Devices;
import dev.pipecd.controlplane.access.LoginLimits;
import dev.pipecd.controlplane.access.Sessions;
import dev.pipecd.controlplane.access.StaticLogin;
import dev.pipecd.controlplane.agentapi.AuthorizationDoor;
import dev.pipecd.controlplane.agentapi.LinkDoor;
import dev.pipecd.controlplane.change.Streams;
import dev.pipecd.controlplane.http.AdminPages;
import dev.pipecd.controlplane.http.AuditExport;
import dev.pipecd.controlplane.http.ChangesStream;
import dev.pipecd.controlplane.http.CookieJar;
import dev.pipecd.controlplane.http.HttpDoor;
import dev.pipecd.controlplane.http.LoginPages;
import dev.pipecd.controlplane.http.SsoPages;
import dev.pipecd.controlplane.http.StaticFiles;
import dev.pipecd.controlplane.http.Webhook;
import dev.pipecd.controlplane.server.Addresses;
import dev.pipecd.controlplane.server.GrpcDoors;
import dev.pipecd.controlplane.server.Metrics;
import dev.pipecd.controlplane.server.Ports;
import dev.pipecd.controlplane.sso.SingleSignOn;
import dev.pipecd.controlplane.sso.States;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Everything callers can reach: which services and pages stand on which port.
final class Outside implements AutoCloseable {
    private final Streams streams = new Streams();
    private final Ports ports;
    private final Metrics metrics;
    private final Supplier<byte[]> told;

    private Outside(Ports ports, Metrics metrics, Supplier<byte[]> told) {
        this.ports = ports;
        this.metrics = metrics;
        metrics.gauges(
                "pipecd_streams_open",
                "Streams held open to agents (link), browsers (changes) and for audit exports.",
                "kind",
                this::openStreams);
        this.told = told;
    }

    /// @param told what Prometheus is told: our own metrics and more
    static Outside open(
            ServerOptions options,
            Inside inside,
            byte[] key,
            Beat beat,
            InstantSource clock,
            Metrics metrics,
            Supplier<byte[]> told) {
        var outside = new Outside(new Ports(options.listening()), metrics, told);
        try {
            outside.listen(options, inside, key, beat, clock);
            return outside;
        } catch (RuntimeException e) {
            outside.close();
            throw e;
        }
    }

    private Map<String, Double> openStreams() {
        var found = new TreeMap<String, Double>();
        for (var kind : Streams.Kind.values())
            found.put(kind.name().toLowerCase(Locale.ROOT), (double) streams.count(kind));
        return found;
    }

    private void listen(
            ServerOptions options, Inside inside, byte[] key, Beat beat, InstantSource clock) {
        var people = inside.people();
        var sessions = new Sessions(key, people.accounts(), people.sessions(), clock);
        var addresses = new Addresses(options.trust().forwardedFor());
        var grpc = new GrpcDoors(inside.keys(), sessions, addresses, metrics, options.reflection());
        var quietGrpc = new GrpcDoors(inside.keys(), sessions, addresses, metrics, false);
        var link =
                new LinkDoor(
                        inside.changes(),
                        inside.link(),
                        inside.keys(),
                        streams,
                        beat.link(),
                        grpc.together(inside.handlers().piped())::take);
        var states = new States(people.stateKey().get(), key, clock);
        var signOn = new SingleSignOn(people.ways(), states, sessions, people.address(), clock);
        var login =
                new StaticLogin(
                        people.accounts(), sessions, new LoginLimits(clock), new Devices(key));
        var keepers = new Doorkeepers(sessions, login, signOn, addresses);
        var http = http(options, inside, keepers, beat, clock);
        var admin = new AdminPages(told, options.metrics(), Version.text());
        var handlers = inside.handlers();
        var agents = List.of(handlers.piped(), link);
        var all = new ArrayList<>(handlers.forPeople());
        all.addAll(handlers.api());
        all.addAll(List.of(handlers.piped(), link));
        var numbers = options.ports();

        // Admin first: it tells that the process is alive while the rest comes up.
        ports.open(new Ports.Port("admin", "--admin-port", numbers.admin(), false), admin::mount);
        ports.open(
                new Ports.Port("piped API", "--piped-api-port", numbers.piped(), true),
                server -> grpc.mount(server, agents));
        ports.open(
                new Ports.Port("web API", "--web-api-port", numbers.web(), true),
                server -> grpc.mount(server, handlers.forPeople()));
        ports.open(new Ports.Port("HTTP", "--http-port", numbers.http(), false), http::mount);
        ports.open(
                new Ports.Port("API", "--api-port", numbers.api(), true),
                server -> quietGrpc.mount(server, handlers.api()));
        ports.open(
                new Ports.Port(
                        "authorization", "--envoy-authz-port", numbers.authorization(), true),
                server -> grpc.mountShort(server, List.of(new AuthorizationDoor(inside.keys()))));
        ports.open(
                new Ports.Port(
                        "gateway",
                        "--gateway-port",
                        numbers.gateway().number(),
                        true,
                        numbers.gateway().asked()),
                server -> {
                    grpc.mount(server, all);
                    http.mount(server);
                });
    }

    private HttpDoor http(
            ServerOptions options,
            Inside inside,
            Doorkeepers keepers,
            Beat beat,
            InstantSource clock) {
        var people = inside.people();
        var sessions = keepers.sessions();
        var login = keepers.login();
        metrics.counters(
                "pipecd_logins_refused",
                "Attempts to log in by password that failed (wrong) or came too often (limited).",
                "why",
                login::refusals);
        var cookies = new CookieJar(options.trust().insecureCookie());
        var addresses = keepers.addresses();
        return new HttpDoor(
                new LoginPages(login, sessions, cookies, addresses),
                new SsoPages(keepers.signOn(), cookies, addresses),
                new AuditExport(sessions, people.audit(), streams),
                new ChangesStream(sessions, inside.changes(), streams, beat.browser()),
                new Webhook(inside.webhookSecret(), inside.watching(), inside.changes(), clock),
                new StaticFiles(options.places().webApplication()),
                metrics);
    }

    Optional<Integer> port(String name) {
        return ports.number(name);
    }

    /// Streams first: they would hold the ports open for the whole grace period.
    @Override
    public void close() {
        streams.close();
        ports.close();
    }

    private record Doorkeepers(
            Sessions sessions, StaticLogin login, SingleSignOn signOn, Addresses addresses) {}

    /// How often open streams are told that they live.
    record Beat(Duration browser, Duration link) {
        static Beat usual() {
            return new Beat(Duration.ofSeconds(10), Duration.ofSeconds(15));
        }
    }
}
