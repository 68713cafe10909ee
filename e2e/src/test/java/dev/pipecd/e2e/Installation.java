// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.ApplicationGitPath;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.GetPipedRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/// A control plane, an agent with its plugin host and a Git repository of one test class: real
/// processes, which can be killed and started again on the same ports and data.
final class Installation implements AutoCloseable {
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger(20_000 + (int) (ProcessHandle.current().pid() % 12) * 1_000);

    static final String USER = "ann";
    static final String PASSWORD = "ann's password";
    static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path dir;
    private final int port;
    private final Program server;
    private final Program agent;
    private final GitRepository repository;
    private final List<AutoCloseable> opened = new ArrayList<>();

    private Installation(Path dir, int port) {
        this.dir = dir;
        this.port = port;
        this.repository = new GitRepository(dir.resolve("repo"), uri());
        this.server = new Program(serverCommand(), dir, dir.resolve("server.log"));
        this.agent = new Program(agentCommand("piped"), dir, dir.resolve("agent.log"));
    }

    /// Everything is running and knows of each other when this comes back.
    static Installation open() {
        return open("");
    }

    /// @param more what else the agent's configuration says, as YAML
    static Installation open(String more) {
        try {
            var made = new Installation(Files.createTempDirectory("pipecd-e2e"), freePort());
            made.begin(more);
            return made;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void begin(String more) {
        try {
            writeControlPlane(USER);
            repository.create().commit("README.md", "samples\n", "Begin");
            startServer();
            writePiped(more);
            startAgent();
        } catch (RuntimeException | AssertionError failed) {
            agent.kill();
            server.kill();
            throw failed;
        }
    }

    void writeControlPlane(String user) {
        write("encryption-key", "0123456789abcdef0123456789abcdef");
        write(
                "control-plane.yaml",
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  address: http://127.0.0.1:%d
                  datastore: {type: SQLITE, config: {path: %s}}
                  filestore: {type: LOCAL, config: {path: %s}}
                  webhook: {secret: %s}
                  projects:
                    - id: ours
                      staticAdmin: {username: %s, passwordHash: '%s'}
                    - id: theirs
                      staticAdmin: {username: eve, passwordHash: '%s'}
                """
                        .formatted(
                                port,
                                dir.resolve("pipecd.db"),
                                dir.resolve("files"),
                                GitRepository.WEBHOOK_SECRET,
                                user,
                                hash(),
                                hash()));
    }

    private static String hash() {
        return BCrypt.withDefaults().hashToString(4, PASSWORD.toCharArray());
    }

    private void writePiped(String more) {
        var answer =
                person().web()
                        .registerPiped(
                                RegisterPipedRequest.newBuilder()
                                        .setName("agent")
                                        .setDesc("The agent of a test")
                                        .build());
        write("piped-id", answer.getId());
        write("piped-key", answer.getKey());
        writePipedConfig(more);
    }

    /// @param more further repositories or keys, as YAML
    void writePipedConfig(String more) {
        write(
                "piped.yaml",
                """
                apiVersion: pipecd.dev/v1beta1
                kind: Piped
                spec:
                  projectID: ours
                  pipedID: %s
                  pipedKeyFile: %s
                  apiAddress: 127.0.0.1:%d
                  repositories:
                    - {repoId: samples, remote: %s, branch: main}
                %s
                  plugins:
                    - {name: wait, url: builtin:wait}
                    - {name: waitapproval, url: builtin:waitapproval}
                    - {name: scriptrun, url: builtin:scriptrun}
                """
                        .formatted(
                                pipedId(),
                                dir.resolve("piped-key"),
                                port,
                                repository.directory(),
                                more));
    }

    /// Restarts the agent as one that is waited for so long when it is gone, unless it is one.
    void takeOverAfter(String time) {
        var line = "  takeOverAfter: " + time;
        if (read("piped.yaml").contains(line + "\n")) return;
        agent.terminate();
        writePipedConfig(line);
        startAgent();
    }

    private String read(String file) {
        try {
            return Files.readString(dir.resolve(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void write(String file, String text) {
        try {
            Files.writeString(dir.resolve(file), text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    List<String> serverCommand() {
        return List.of(
                Dist.bin("pipecd"),
                "server",
                "--config-file=" + dir.resolve("control-plane.yaml"),
                "--encryption-key-file=" + dir.resolve("encryption-key"),
                "--host=127.0.0.1",
                "--gateway-port=" + port,
                "--piped-api-port=-1",
                "--web-api-port=-1",
                "--http-port=-1",
                "--api-port=-1",
                "--envoy-authz-port=-1",
                "--admin-port=0",
                "--grace-period=2s",
                "--insecure-cookie=true");
    }

    List<String> agentCommand(String data) {
        return List.of(
                Dist.bin("piped"),
                "run",
                "--config-file=" + dir.resolve("piped.yaml"),
                "--insecure=true",
                "--data-dir=" + dir.resolve(data),
                "--admin-port=0",
                "--plugin-service-port=0");
    }

    void startServer() {
        server.start();
        await(
                "the control plane to answer",
                () -> answers() || !server.isAlive() ? Optional.of(answers()) : Optional.empty());
        for (var part : opened) if (part instanceof Person person) person.reconnect();
    }

    private boolean answers() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /// Comes back when this very agent acts, and has told the control plane of its repository.
    void startAgent() {
        var before = acting();
        agent.start();
        await(
                "the agent to connect",
                () -> {
                    if (acting() == before) return Optional.empty();
                    var request = GetPipedRequest.newBuilder().setPipedId(pipedId()).build();
                    var piped = person().web().getPiped(request).getPiped();
                    return piped.getStatus() == Piped.ConnectionStatus.ONLINE
                                    && piped.getRepositoriesCount() > 0
                            ? Optional.of(piped)
                            : Optional.empty();
                });
    }

    private long acting() {
        return agent.said()
                .lines()
                .filter(line -> line.contains("this agent acts under its id"))
                .count();
    }

    /// Started without waiting for anything: it may have nobody to connect to.
    Program agent() {
        return agent;
    }

    Program server() {
        return server;
    }

    /// `kill -9` of the plugin host that the agent started last.
    void killHost() {
        killProcess("plugin-host");
    }

    /// `kill -9` of a plugin that has a process of its own.
    void killPlugin(String plugin) {
        killProcess("process-" + plugin);
    }

    private void killProcess(String recorded) {
        var before = pid(recorded);
        ProcessHandle.of(before).ifPresent(ProcessHandle::destroyForcibly);
        await(
                "another process of " + recorded,
                () -> Optional.of(pid(recorded)).filter(pid -> pid != before && isAlive(pid)));
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    private long pid(String recorded) {
        return await(
                "the process id of " + recorded,
                () -> {
                    var file = dir.resolve("piped/plugins/" + recorded + ".pid");
                    return Files.exists(file)
                            ? Files.readAllLines(file).stream().findFirst().map(Long::parseLong)
                            : Optional.empty();
                });
    }

    /// The administrator, logged in once.
    synchronized Person person() {
        for (var part : opened) if (part instanceof Person person) return person;
        return login("ours", USER);
    }

    synchronized Person login(String project, String user) {
        var person = Person.login(port, project, user, PASSWORD);
        opened.add(person);
        return person;
    }

    /// Commits an application and registers it; its first deployment follows.
    App add(String name, Sample sample) {
        return add(name, sample.yaml(name));
    }

    App add(String name, String yaml) {
        repository.commit(name + "/app.pipecd.yaml", yaml, "Add " + name);
        return register(name, name, "samples");
    }

    App register(String name, String folder, String repositoryId) {
        var path =
                ApplicationGitPath.newBuilder()
                        .setRepo(ApplicationGitRepository.newBuilder().setId(repositoryId))
                        .setPath(folder)
                        .setConfigFilename("app.pipecd.yaml");
        var request =
                AddApplicationRequest.newBuilder()
                        .setName(name)
                        .setPipedId(pipedId())
                        .setGitPath(path)
                        .build();
        return new App(this, person().web().addApplication(request).getApplicationId(), name);
    }

    /// What a person types in a terminal.
    Shell.Ended pipectl(String... arguments) {
        var key = dir.resolve("api-key");
        if (!Files.exists(key)) {
            var request =
                    GenerateAPIKeyRequest.newBuilder()
                            .setName("tests")
                            .setRole(APIKey.Role.READ_WRITE)
                            .build();
            write("api-key", person().web().generateAPIKey(request).getKey());
        }
        return pipectl(key, arguments);
    }

    Shell.Ended pipectl(Path key, String... arguments) {
        var command = new ArrayList<>(List.of(Dist.bin("pipectl")));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--address", "127.0.0.1:" + port, "--insecure"));
        command.addAll(List.of("--api-key-file", key.toString()));
        return Shell.call(dir, command);
    }

    /// Looks again and again until there is an answer; a control plane that is away is no answer.
    <T> T await(String what, Callable<Optional<T>> look) {
        try {
            return Awaitility.await()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(StatusRuntimeException.class)
                    .until(look, Optional::isPresent)
                    .orElseThrow();
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("Waited in vain for %s.\n%s".formatted(what, tails()), e);
        }
    }

    String tails() {
        return server.tail() + agent.tail();
    }

    Path dir() {
        return dir;
    }

    int port() {
        return port;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    GitRepository repository() {
        return repository;
    }

    String pipedId() {
        return read("piped-id");
    }

    /// Of those that the system gives to nobody by itself: one of the others may be taken by a
    /// program that asks for any, between here and the server's start.
    static int freePort() throws IOException {
        while (true) {
            var port = NEXT_PORT.getAndAdd(10); // a quickstart takes some behind its own
            try (var socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (BindException e) {
                if (port > 32_000) throw e;
            }
        }
    }

    @Override
    public void close() throws Exception {
        try {
            for (var part : opened) part.close();
            if (!agent.isAlive()) agent.start();
            // Told, not killed: it takes its plugin host with it.
            agent.terminate();
        } finally {
            server.terminate();
        }
        try (var files = Files.walk(dir)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList())
                Files.deleteIfExists(file);
        }
    }
}
