// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.store;

import dev.pipecd.controlplane.store.engine.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/// The engines that every store is tested on, all real; the servers are started once and at the
/// same time.
enum TestEngine {
    SQLITE(Optional.empty()),
    MARIADB(Optional.of("mariadb")),
    MYSQL(Optional.of("mysql"));

    /// However busy the machine is.
    private static final Patience ENDLESS =
            new Patience(Duration.ofMinutes(2), Duration.ofMinutes(2));

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Optional<FutureTask<TestServer>> server;
    private final Queue<Replicas> idle = new ConcurrentLinkedQueue<>();

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

    /// Waits for a slow server, so that only a broken one fails a test.
    static Database open(Database.Place place) {
        return Database.open(place, ENDLESS);
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

    /// Those of a file end with the test. Those of a server are emptied for the next one, which is
    /// much quicker than to make a schema and to connect.
    Replicas replicas() {
        if (!shared()) {
            var place = TestDatabases.sqlite(((Database.Place.File) fresh()).file());
            var file = open(place);
            return new Replicas(place, file, file, _ -> file.close());
        }
        var known = idle.poll();
        if (known == null) {
            var place = fresh();
            return new Replicas(place, open(place), open(place), idle::add);
        }
        server().execute(((Database.Place.Server) known.place()).dsn().database(), emptying());
        return known;
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
                        "ApplicationLabel",
                        "DeploymentLabel",
                        "EventLabel",
                        "RevokedSession",
                        "InsightMark",
                        "Delivery",
                        "DeliverySum",
                        "Lease",
                        "LogJournal",
                        "LogEnd",
                        "`Change`")) statements.add("DELETE FROM " + table);
        statements.add("UPDATE Counter SET Value = 0");
        statements.add("UPDATE LabelMark SET Reached = '', BeganAt = 0, CheckedAt = 0");
        statements.add("UPDATE DeliverySumMark SET Reached = '', Complete = 0");
        return statements.toArray(String[]::new);
    }
}
