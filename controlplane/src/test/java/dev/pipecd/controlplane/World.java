// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.access.Caller;
import dev.pipecd.controlplane.access.Seal;
import dev.pipecd.controlplane.cache.CacheAddress;
import dev.pipecd.controlplane.filestore.FileStores;
import dev.pipecd.controlplane.server.Failures;
import dev.pipecd.controlplane.store.Database;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Project;
import dev.pipecd.wire.model.ProjectStaticUser;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/// Everything behind the ports with two projects in it, reached over real gRPC on loopback. Who
/// calls is named by the test instead of by a credential.
public final class World implements AutoCloseable {
    public static final ProjectId HERE = new ProjectId("here");
    public static final ProjectId ELSEWHERE = new ProjectId("elsewhere");
    private static final Metadata.Key<String> WHO =
            Metadata.Key.of("who", Metadata.ASCII_STRING_MARSHALLER);

    public final AtomicReference<Instant> now =
            new AtomicReference<>(Instant.parse("2026-11-01T12:00:00Z"));
    public final Features features;
    private final Map<String, Caller> callers = new ConcurrentHashMap<>();
    private final Server server;
    private final ManagedChannel channel;
    private final Path folder;

    public World(Path folder) throws IOException {
        this(folder, TestDatabases.sqlite(folder.resolve("pipecd.db")));
    }

    public World(Path folder, Database.Place database) throws IOException {
        this.folder = folder;
        var counter = new AtomicLong(folder.hashCode() & 0xffff);
        features =
                Features.open(
                        settings(folder, database),
                        now::get,
                        () -> "00000000-0000-4000-8000-%012d".formatted(counter.incrementAndGet()),
                        World::hash);
        var builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .addService(features.doors().piped())
                        .addService(features.doors().web())
                        .addServices(
                                features.doors().api().stream()
                                        .map(BindableService::bindService)
                                        .toList())
                        .intercept(new Doorman());
        features.doors().own().forEach(builder::addService);
        server = builder.build().start();
        channel =
                NettyChannelBuilder.forAddress(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), server.getPort()))
                        .usePlaintext()
                        .build();
    }

    /// As the real one, with less work in it.
    private static String hash(String key) {
        return BCrypt.with(BCrypt.Version.VERSION_2A).hashToString(4, key.toCharArray());
    }

    static Features.Settings settings(Path folder) {
        return settings(folder, TestDatabases.sqlite(folder.resolve("pipecd.db")));
    }

    private static Features.Settings settings(Path folder, Database.Place database) {
        return new Features.Settings(
                database,
                new FileStores.Place(new Filestore.Unset(), folder.resolve("files")),
                CacheAddress.none(),
                "http://pipecd.example",
                List.of(project(HERE), project(ELSEWHERE)),
                Optional.empty(),
                new Features.SignOnSettings(List.of(), new Seal(new byte[32])));
    }

    private static Project project(ProjectId id) {
        return Project.newBuilder()
                .setId(id.value())
                .setStaticAdmin(
                        ProjectStaticUser.newBuilder().setUsername("admin").setPasswordHash("hash"))
                .build();
    }

    public static Caller.Person person(ProjectId project, String role) {
        return new Caller.Person(project, "ann", Set.of(role));
    }

    public static Caller.KeyHolder holder(ProjectId project, boolean mayWrite) {
        return new Caller.KeyHolder(project, "key-1", "robot", mayWrite);
    }

    public static Caller.Agent agent(ProjectId project, PipedId piped) {
        return new Caller.Agent(project, piped);
    }

    /// A channel on which every call comes from `caller`.
    public Channel as(Caller caller) {
        var name = Integer.toHexString(caller.hashCode());
        callers.put(name, caller);
        return ClientInterceptors.intercept(channel, new Named(name));
    }

    /// A channel without credentials.
    public Channel asNobody() {
        return channel;
    }

    public Path file(String path) {
        return folder.resolve("files").resolve(path);
    }

    /// All that is stored, to be compared.
    public List<String> everything() throws IOException {
        var found = new ArrayList<String>();
        for (var table :
                List.of(
                        "Application",
                        "Deployment",
                        "Command",
                        "Piped",
                        "APIKey",
                        "Event",
                        "DeploymentTrace",
                        "DeploymentChain",
                        "Project"))
            found.addAll(
                    features.stores()
                            .database()
                            .read(connection -> {
                                var rows = new ArrayList<String>();
                                try (var statement = connection.createStatement();
                                        var result =
                                                statement.executeQuery(
                                                        "SELECT Data FROM " + table)) {
                                    while (result.next()) rows.add(result.getString(1));
                                }
                                return rows;
                            }));
        if (Files.exists(folder.resolve("files")))
            try (var files = Files.walk(folder.resolve("files"))) {
                for (var file : files.filter(Files::isRegularFile).sorted().toList())
                    found.add(file + Files.readString(file));
            }
        return found;
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.shutdownNow();
        features.close();
    }

    private record Named(String name) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    headers.put(WHO, name);
                    super.start(listener, headers);
                }
            };
        }
    }

    private final class Doorman implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            var who = headers.get(WHO);
            var context = Context.current();
            if (who != null && callers.containsKey(who))
                context = context.withValue(Caller.CURRENT, callers.get(who));
            return new SimpleForwardingServerCallListener<>(
                    Contexts.interceptCall(context, call, headers, next)) {
                @Override
                public void onHalfClose() {
                    try {
                        super.onHalfClose();
                    } catch (RuntimeException e) {
                        call.close(Failures.of(e), new Metadata());
                    }
                }
            };
        }
    }
}
