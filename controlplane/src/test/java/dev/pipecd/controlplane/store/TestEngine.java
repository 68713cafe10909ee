// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/// The engines that every store is tested on, all real; the servers are started once and at the
/// same time.
enum TestEngine {
    SQLITE(Optional.empty()),
    MARIADB(Optional.of("mariadb")),
    MYSQL(Optional.of("mysql"));

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Optional<FutureTask<TestServer>> server;
    private final Map<Class<?>, Database.Place.Server> ready = new ConcurrentHashMap<>();

    TestEngine(Optional<String> program) {
        server = program.map(name -> new FutureTask<>(() -> TestServer.start(name)));
    }

    static {
        for (var engine : values())
            engine.server.ifPresent(s -> Thread.ofPlatform().daemon().start(s));
    }

    boolean shared() {
        return server.isPresent();
    }

    TestServer server() {
        try {
            return server.orElseThrow().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /// An empty database that nobody else has seen.
    Database.Place fresh() {
        if (!shared()) {
            try {
                var folder = Files.createTempDirectory("pipecd-sqlite");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> TestServer.delete(folder)));
                return new Database.Place.File(folder.resolve("pipecd.db"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        var name =
                "pipecd_test_%d_%d"
                        .formatted(ProcessHandle.current().pid(), NUMBER.incrementAndGet());
        server().execute("", "CREATE DATABASE " + name);
        return new Database.Place.Server(server().dsn(name), name());
    }

    /// An empty database with its schema, for one class of tests; quicker than a fresh one, since
    /// its schema is made once.
    Database.Place emptied(Class<?> tests) {
        if (!shared()) return fresh();
        var known = ready.get(tests);
        if (known != null) {
            server().execute(known.dsn().database(), emptying());
            return known;
        }
        var place = (Database.Place.Server) fresh();
        ready.put(tests, place);
        return place;
    }

    private static String[] emptying() {
        var statements = new ArrayList<String>();
        for (var table :
                List.of(
                        "Project",
                        "Application",
                        "Deployment",
                        "Command",
                        "Piped",
                        "APIKey",
                        "Event",
                        "DeploymentTrace",
                        "DeploymentChain",
                        "Lease",
                        "`Change`")) statements.add("DELETE FROM " + table);
        statements.add("UPDATE Counter SET Value = 0");
        return statements.toArray(String[]::new);
    }
}
