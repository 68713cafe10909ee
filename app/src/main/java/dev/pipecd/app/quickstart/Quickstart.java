// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app.quickstart;

import dev.pipecd.domain.Problem;
import dev.pipecd.wire.model.Piped;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Story point one: everything on one machine, told while it happens, kept for the next time.
final class Quickstart {
    private static final Duration START = Duration.ofSeconds(60);
    private static final int SITE_AFTER = 7;

    private final Place place;
    private final Settings settings;
    private final Programs programs;
    private final Steps steps;
    private final CountDownLatch never = new CountDownLatch(1);
    private volatile boolean stopping;
    private volatile int exitCode;

    Quickstart(Place place, Settings settings, Programs programs, Steps steps) {
        this.place = place;
        this.settings = settings;
        this.programs = programs;
        this.steps = steps;
    }

    int run() throws IOException, InterruptedException {
        Files.createDirectories(place.running("").normalize());
        try (var channel =
                FileChannel.open(
                        place.running("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE)) {
            demandAlone(channel);
            Child.endLeftover(place.running("agent.pid"));
            Child.endLeftover(place.running("server.pid"));
            Ports.demand(place.port());
            settings.ensureControlPlane();
            new DemoRepository(place).ensure();
            WholeFile.write(place.running("port"), place.port() + "\n");
            var server = new Child(programs.server(), steps::say);
            var agent = new Child(programs.agent(), steps::say);
            try (var site =
                    PublishedSite.serve(
                            place.published(), Ports.freeOr(place.port() + SITE_AFTER))) {
                return serve(server, agent, site);
            }
        }
    }

    /// A second quickstart on the same folder would end the first one's children as leftovers.
    private void demandAlone(FileChannel channel) throws IOException {
        try {
            if (channel.tryLock() != null) return;
        } catch (OverlappingFileLockException e) {
            // Held within this very process: as taken as by another.
        }
        throw new Problem(
                Problem.Code.STORE_BUSY,
                "%s: in use by another quickstart (expected: one at a time)"
                        .formatted(place.data()),
                "Stop it with Ctrl-C, or choose another folder and port: make run ARGS=\"--port %d --data DIR\""
                        .formatted(place.port() + 1000));
    }

    private int serve(Child server, Child agent, PublishedSite site)
            throws IOException, InterruptedException {
        var stop = new Thread(() -> stop(server, agent), "stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            steps.say(start(server, agent, site));
            while (!server.isLost() && !agent.isLost()) never.await(1, TimeUnit.SECONDS);
        } finally {
            // What fails because everything ends is no failure: the hook ends the process.
            while (stopping) never.await(1, TimeUnit.SECONDS);
            exitCode = 1;
        }
        throw new Problem(
                Problem.Code.INTERNAL,
                "%s: ended again and again (expected: running)"
                        .formatted(server.isLost() ? "control plane" : "agent"),
                "The reason is at the end of its log in %s."
                        .formatted(place.data().resolve("logs")));
    }

    private String start(Child server, Child agent, PublishedSite site)
            throws IOException, InterruptedException {
        steps.step(
                "Control plane on " + place.address(),
                () -> {
                    server.start();
                    return awaitServer(server);
                });
        var web =
                WebClient.login(
                        URI.create("http://127.0.0.1:" + place.port()),
                        Settings.PROJECT,
                        Settings.USER,
                        Settings.PASSWORD);
        var registration = new Registration(web, place, settings);
        var piped =
                steps.step(
                        "Agent and plugins",
                        () -> {
                            registration.ensurePiped();
                            agent.start();
                            registration.ensureApiKey();
                            return awaitAgent(registration);
                        });
        var siteId =
                registration.ensureApplication(
                        "site", "A page that is checked, approved and published", piped);
        var brokenId =
                registration.ensureApplication(
                        "broken", "Fails in its third stage and is rolled back", piped);
        if (registration.carryFirstDeployment(siteId)) {
            steps.step(
                    "First deployment of site, approved for you",
                    () ->
                            Patience.await(
                                    START,
                                    () ->
                                            registration.carryFirstDeployment(siteId)
                                                    ? Optional.empty()
                                                    : Optional.of(siteId)));
        }
        return new Welcome(place, programs, site.port()).text(brokenId);
    }

    private boolean awaitServer(Child server) throws IOException, InterruptedException {
        return Patience.await(
                        START,
                        () ->
                                server.isLost() || answers()
                                        ? Optional.of(answers())
                                        : Optional.empty())
                .filter(answered -> answered)
                .orElseThrow(() -> notStarted("control plane", "server"));
    }

    private Piped awaitAgent(Registration registration) throws IOException, InterruptedException {
        return Patience.await(START, registration::connectedPiped)
                .orElseThrow(() -> notStarted("agent", "agent"));
    }

    private boolean answers() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), place.port())) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private Problem notStarted(String name, String log) {
        return new Problem(
                Problem.Code.INTERNAL,
                "%s: no answer within %d s (expected: started)".formatted(name, START.toSeconds()),
                "Its log tells why: " + place.log(log));
    }

    private void stop(Child server, Child agent) {
        stopping = true;
        var ending = steps.last();
        ending.say("");
        try {
            ending.step(
                    "Stopping",
                    () -> {
                        agent.stop();
                        server.stop();
                        return true;
                    });
        } catch (IOException | InterruptedException e) {
            ending.say("Stopping was cut short: " + e);
        }
        ending.say(
                "Stopped. Everything is kept in %s; `make run` goes on with it."
                        .formatted(place.data()));
        // Ctrl-C is the ordinary way to end a quickstart, not an error for make to report.
        Runtime.getRuntime().halt(exitCode);
    }
}
