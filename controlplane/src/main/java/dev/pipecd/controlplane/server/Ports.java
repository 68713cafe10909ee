// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.server;

import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.metric.NoopMeterRegistry;
import com.linecorp.armeria.common.util.BlockingTaskExecutor;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import dev.pipecd.domain.Problem;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SniHandler;
import java.io.File;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The listening ports, opened one by one and closed together.
public final class Ports implements AutoCloseable {
    private static final int HIGHEST = 65_535;

    private static final Logger log = LoggerFactory.getLogger(Ports.class);
    private static final Duration REQUEST = Duration.ofMinutes(1);
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final Duration QUIET = Duration.ofMillis(100);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);
    private static final int LOOKS_IN_PATIENCE = 16;

    /// As many as clients are known to use of one; a proxy opens another connection then.
    private static final int MOST_CALLS_ON_ONE = 1_000;

    private final Settings settings;
    private final Bodies bodies;
    private final Unsent unsent;
    private final int mostConnections;
    private final Semaphore connections;
    private final HandlerThreads threads = new HandlerThreads();
    private final Map<String, Server> open = new LinkedHashMap<>();

    public Ports(Settings settings) {
        this(settings, Limits.in(Runtime.getRuntime().maxMemory()));
    }

    Ports(Settings settings, Limits limits) {
        this.settings = settings;
        this.bodies = new Bodies(limits.bodies());
        this.unsent = new Unsent(limits.unsent(), settings.patience(), System::nanoTime);
        this.mostConnections = limits.connections();
        this.connections = new Semaphore(mostConnections);
        var pace = settings.patience().toNanos() / LOOKS_IN_PATIENCE;
        var _ =
                threads.scheduleWithFixedDelay(
                        unsent::giveUpTheLate, pace, pace, TimeUnit.NANOSECONDS);
    }

    /// A port below zero stays closed; zero takes a free one.
    public void open(Port port, Consumer<ServerBuilder> routes) {
        if (port.number() < 0) return;
        if (port.number() > HIGHEST)
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "%s: %d (expected: 0 to %d, or less than 0 to keep it closed)"
                            .formatted(port.flag(), port.number(), HIGHEST),
                    "Give another port.");
        var server = built(port, routes);
        Future<Void> starting = server.start();
        try {
            starting.get();
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            if (port.asked()) throw refused(port, cause);
            sayTaken(port, cause);
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw refused(port, e);
        }
        open.put(port.name(), server);
        log.info(
                "{} listens on {}:{}{}",
                port.name(),
                settings.host().orElse("0.0.0.0"),
                server.activeLocalPort(),
                port.tls() && settings.tls().isPresent() ? " (TLS)" : "");
    }

    private Server built(Port port, Consumer<ServerBuilder> routes) {
        var server = Server.builder();
        var secured = port.tls() ? settings.tls() : Optional.<Tls>empty();
        server.port(
                address(port), secured.isPresent() ? SessionProtocol.HTTPS : SessionProtocol.HTTP);
        try {
            secured.ifPresent(tls -> server.tls(tls.certificate(), tls.key()));
        } catch (RuntimeException e) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "--cert-file, --key-file: %s (expected: a certificate and its key in PEM form)"
                            .formatted(e.getMessage()),
                    "Check that both files exist, may be read and belong together.",
                    e);
        }
        server.blockingTaskExecutor(BlockingTaskExecutor.of(threads), false)
                .meterRegistry(NoopMeterRegistry.get())
                .disableServerHeader()
                .maxRequestLength(GrpcDoors.LARGEST_MESSAGE + 64 * 1024L)
                .requestTimeout(settings.patience())
                .http2MaxStreamsPerConnection(MOST_CALLS_ON_ONE)
                .childChannelPipelineCustomizer(this::watch)
                .idleTimeout(IDLE)
                .gracefulShutdownTimeout(QUIET, settings.grace())
                .errorHandler(new PlainErrors());
        routes.accept(server);
        server.decorator(RequestIds::given);
        return server.build();
    }

    private void watch(ChannelPipeline connection) {
        var channel = connection.channel();
        if (!connections.tryAcquire()) {
            channel.close();
            return;
        }
        channel.closeFuture().addListener(_ -> connections.release());
        // Armeria would let it heap up all that is written, where nobody counts it
        channel.config().setWriteBufferWaterMark(WriteBufferWaterMark.DEFAULT);
        var arrivals = new Arrivals(bodies, unsent);
        var secured = connection.context(SniHandler.class);
        if (secured == null) connection.addFirst(arrivals);
        else connection.addAfter(secured.name(), null, arrivals);
        connection.addFirst(
                new Stalls(Unsent.standstill(settings.patience())),
                new Latecomers(settings.patience()));
    }

    private InetSocketAddress address(Port port) {
        return settings.host()
                .map(host -> new InetSocketAddress(host, port.number()))
                .orElseGet(() -> new InetSocketAddress(port.number()));
    }

    /// As beside the Envoy of the public system, which stands where the gateway would.
    private static void sayTaken(Port port, Throwable cause) {
        log.warn(
                "{}: {} is taken, so {} stays closed and the other ports serve alone ({}). Give {} another port to open it, or -1 if"
                        + " a proxy stands there.",
                port.flag(),
                port.number(),
                port.name(),
                cause.getMessage(),
                port.flag());
    }

    private static Problem refused(Port port, Throwable cause) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %d (expected: a port that is free and may be opened)"
                        .formatted(port.flag(), port.number()),
                "It says: %s. Stop the process that listens there, or give another port with %s."
                        .formatted(cause.getMessage(), port.flag()),
                cause);
    }

    /// The number a port really has, for who asked for a free one.
    public Optional<Integer> number(String name) {
        return Optional.ofNullable(open.get(name)).map(Server::activeLocalPort);
    }

    /// How many are open.
    int connections() {
        return mostConnections - connections.availablePermits();
    }

    /// Of requests that are not answered yet, in bytes.
    long held() {
        return bodies.held();
    }

    /// Of answers that are not taken yet, in bytes.
    long unsent() {
        return unsent.held();
    }

    /// Calls that were accepted are answered, within the grace period.
    @Override
    public void close() {
        var closing = new LinkedHashMap<Server, Thread>();
        open.values().forEach(s -> closing.put(s, Thread.ofVirtual().start(s::close)));
        try {
            for (var server : closing.keySet())
                while (serves(server) && !closing.get(server).join(LOOK_AGAIN)) continue;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        open.clear();
        threads.shutdownNow();
    }

    /// Armeria's own threads take two seconds more to end, for which nobody has to wait.
    private static boolean serves(Server server) {
        return !server.activePorts().isEmpty() || server.numConnections() > 0;
    }

    /// @param flag what people write to move it
    /// @param tls whether `--tls` applies to it
    /// @param asked whether the server is to fail without it; one nobody asked for stays closed
    public record Port(String name, String flag, int number, boolean tls, boolean asked) {
        public Port(String name, String flag, int number, boolean tls) {
            this(name, flag, number, tls, true);
        }
    }

    public record Tls(File certificate, File key) {}

    /// What all callers of these ports may take together.
    ///
    /// @param bodies how much requests may hold that are not answered yet, in bytes
    /// @param unsent how much answers may hold that are not taken yet, in bytes
    record Limits(int connections, long bodies, long unsent) {
        private static final long LEAST_FOR_BODIES = 8L << 20;
        private static final int HEAP_FOR_A_CONNECTION = 32 << 10;

        static Limits in(long heap) {
            return new Limits(
                    (int) Math.min(heap / HEAP_FOR_A_CONNECTION, Integer.MAX_VALUE),
                    Math.max(heap / 8, LEAST_FOR_BODIES),
                    heap / 4);
        }
    }

    /// @param host the interface to listen on; all of them when not given
    /// @param patience how long a request may take to be there and to be answered, and its answer
    ///   to be taken, whoever sends it
    public record Settings(
            Optional<String> host, Optional<Tls> tls, Duration grace, Duration patience) {
        public Settings(Optional<String> host, Optional<Tls> tls, Duration grace) {
            this(host, tls, grace, REQUEST);
        }
    }
}
