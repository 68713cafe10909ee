// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.config.Filestore;
import dev.pipecd.controlplane.cache.RedisProcess;
import dev.pipecd.controlplane.filestore.FilePath;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.ProjectSSOConfig;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.UpdateProjectSSOConfigRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// A whole server as a process of its own and its ops beside it, with every port open, something of
/// everything in its stores, and a secret nobody may ever see again in every place that takes one.
final class HostileServer {
    static final String LOCK = "hostile server";
    static final String DEPLOYMENT = "d0000000-0000-0000-0000-00000000f022";

    /// A project nobody needs, whose admin may lock himself out.
    static final String DOOMED = "doomed";

    private static final String CANARY = "c4n4ry";
    private static final String HASH =
            BCrypt.with(BCrypt.Version.VERSION_2A).hashToString(4, "hello-pipecd".toCharArray());

    private final Path folder;
    private final Filestore.Minio bucket = S3Server.bucket();
    private final int ownersPort = free();
    private final OpsProcess ops;
    private final ServerProcess process;
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, String> owners = new LinkedHashMap<>();
    private final List<String> given;
    private final Map<ServiceDescriptor, Channel> callers;
    private final List<String> known;
    private final String session;

    private static final class Running {
        static final HostileServer SHARED = start();

        private static HostileServer start() {
            try {
                return new HostileServer();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /// One for all tests of this JVM, ended with it.
    static HostileServer running() {
        return Running.SHARED;
    }

    private HostileServer() throws Exception {
        folder = Files.createTempDirectory("pipecd-hostile");
        configure();
        ops = new OpsProcess(folder);
        process =
                new ServerProcess(
                        "server",
                        folder,
                        "--log-level=debug",
                        "--piped-api-port=0",
                        "--web-api-port=0",
                        "--http-port=0",
                        "--api-port=0",
                        "--envoy-authz-port=0");
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> {
                            process.close();
                            ops.close();
                            TestDatabases.delete(folder);
                        }));
        session = process.session();
        ports.putAll(process.ports());
        ports.put("owner's pages", ownersPort);
        ops.ports().forEach((name, number) -> ports.put("ops " + name, number));
        for (var port : List.of("owner's pages", "ops HTTP")) owners.put(port, login(port));

        var people = process.person();
        var web = WebServiceGrpc.newBlockingStub(people);
        var piped = web.registerPiped(RegisterPipedRequest.newBuilder().setName("east").build());
        var spare = web.registerPiped(RegisterPipedRequest.newBuilder().setName("spare").build());
        var key =
                web.generateAPIKey(
                                GenerateAPIKeyRequest.newBuilder()
                                        .setName("robot")
                                        .setRole(APIKey.Role.READ_WRITE)
                                        .build())
                        .getKey();
        var agent = process.agent(piped.getId(), piped.getKey());
        var application = fill(web, PipedServiceGrpc.newBlockingStub(agent), piped.getId());
        given =
                List.of(
                        piped.getKey(),
                        spare.getKey(),
                        key.substring(key.indexOf('.') + 1),
                        session.replace("token=", ""));
        known = List.of(application, DEPLOYMENT, "s1", spare.getId(), "quickstart");
        var holder = process.keyHolder(key);
        callers = new LinkedHashMap<>();
        Doors.FOR_AGENTS.forEach(door -> callers.put(door, agent));
        Doors.FOR_PEOPLE.forEach(door -> callers.put(door, people));
        Doors.FOR_KEYS.forEach(door -> callers.put(door, holder));
        var gateway =
                NettyChannelBuilder.forAddress("127.0.0.1", port("authorization"))
                        .usePlaintext()
                        .build();
        Doors.FOR_GATEWAYS.forEach(door -> callers.put(door, gateway));
    }

    private static int free() {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String login(String port) throws IOException, InterruptedException {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:%d/login"
                                                            .formatted(port(port))))
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "username=owner&password=hello-pipecd"))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .headers()
                    .firstValue("set-cookie")
                    .orElseThrow()
                    .replaceFirst(";.*", "");
        }
    }

    private void configure() throws IOException {
        var redis = new RedisProcess("requirepass " + secret("redis"));
        Runtime.getRuntime().addShutdownHook(new Thread(redis::close));
        Files.writeString(folder.resolve("key"), secret("encryption").repeat(4));
        Files.writeString(folder.resolve("access"), secret("access") + "\n");
        Files.writeString(folder.resolve("secret"), secret("s3") + "\n");
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  address: http://127.0.0.1
                  stateKey: %s
                  webhook: {secret: %s}
                  datastore: %s
                  filestore:
                    type: MINIO
                    config: {endpoint: '%s', bucket: %s, accessKeyFile: %s, secretKeyFile: %s, autoCreateBucket: true}
                  cache: {address: 'redis://:%s@127.0.0.1:%d/0', password: %s}
                  projects:
                    - id: quickstart
                      staticAdmin: {username: hello-pipecd, passwordHash: "%s"}
                    - {id: elsewhere, sharedSSOName: hub}
                    - id: %s
                      staticAdmin: {username: hello-pipecd, passwordHash: "%s"}
                  sharedSSOConfigs:
                    - name: hub
                      provider: GITHUB
                      github: {clientId: id-of-hub, clientSecret: %s, baseUrl: 'http://127.0.0.1:1/', proxyUrl: 'http://u:%s@127.0.0.1:1'}
                    - name: issuer
                      provider: OIDC
                      oidc: {clientId: id-of-issuer, clientSecret: %s, issuer: 'http://127.0.0.1:1/', proxyUrl: 'http://u:%s@127.0.0.1:1'}
                  ops:
                    port: %d
                    owner: {username: owner, passwordHash: "%s"}
                """
                        .formatted(
                                secret("state"),
                                secret("webhook"),
                                TestDatabases.mariaDb(secret("dsn")),
                                bucket.endpoint(),
                                bucket.bucket(),
                                folder.resolve("access"),
                                folder.resolve("secret"),
                                secret("redis"),
                                redis.port(),
                                secret("redis"),
                                HASH,
                                DOOMED,
                                HASH,
                                secret("sso"),
                                secret("proxy"),
                                secret("oidc"),
                                secret("oidc-proxy"),
                                ownersPort,
                                HASH));
    }

    /// Told apart, so that a leak says which.
    static String secret(String of) {
        return CANARY + "-" + of;
    }

    private static String fill(
            WebServiceGrpc.WebServiceBlockingStub web,
            PipedServiceGrpc.PipedServiceBlockingStub agent,
            String piped) {
        var _ =
                agent.reportPipedMeta(
                        ReportPipedMetaRequest.newBuilder()
                                .setVersion("v1")
                                .addRepositories(
                                        ApplicationGitRepository.newBuilder()
                                                .setId("demo")
                                                .setRemote("https://git.example/org/demo.git")
                                                .setBranch("main"))
                                .build());
        var application =
                web.addApplication(
                                AddApplicationRequest.newBuilder()
                                        .setName("site")
                                        .setPipedId(piped)
                                        .setGitPath(Samples.gitPath("site"))
                                        .build())
                        .getApplicationId();
        var who = World.agent(new ProjectId("quickstart"), new PipedId(piped));
        var deployment = Samples.whole(DEPLOYMENT, application, who);
        var _ =
                agent.createDeployment(
                        CreateDeploymentRequest.newBuilder().setDeployment(deployment).build());
        var _ =
                agent.reportStageLogs(
                        ReportStageLogsRequest.newBuilder()
                                .setDeploymentId(DEPLOYMENT)
                                .setStageId("s1")
                                .addBlocks(Samples.line(1, "hello"))
                                .build());
        var _ =
                web.updateProjectSSOConfig(
                        UpdateProjectSSOConfigRequest.newBuilder()
                                .setSso(
                                        ProjectSSOConfig.newBuilder()
                                                .setGithub(
                                                        ProjectSSOConfig.GitHub.newBuilder()
                                                                .setClientId(secret("own-id"))
                                                                .setClientSecret(secret("own-sso"))
                                                                .setProxyUrl(proxy("own-proxy")))
                                                .setOidc(
                                                        ProjectSSOConfig.Oidc.newBuilder()
                                                                .setClientId(secret("own-oidc-id"))
                                                                .setClientSecret(secret("own-oidc"))
                                                                .setIssuer("http://127.0.0.1:1/")
                                                                .setProxyUrl(
                                                                        proxy("own-oidc-proxy"))))
                                .build());
        return application;
    }

    private static String proxy(String of) {
        return "http://u:%s@proxy.invalid:1".formatted(secret(of));
    }

    /// Who each service is for.
    Map<ServiceDescriptor, Channel> callers() {
        return callers;
    }

    /// Not one that would lock us out by doing what it is for.
    static boolean isHarmless(MethodDescriptor<?, ?> method) {
        return !Set.of("DisableStaticAdmin", "EndSessions")
                .contains(String.valueOf(method.getBareMethodName()));
    }

    /// Ids of things that are there.
    List<String> known() {
        return known;
    }

    Map<String, Integer> ports() {
        return ports;
    }

    /// The ports with the owner's pages, and the cookie of his session there.
    Map<String, String> owners() {
        return owners;
    }

    int port(String name) {
        return ports().getOrDefault(name, 0);
    }

    /// The cookie of the administrator.
    String session() {
        return session;
    }

    ServerProcess process() {
        return process;
    }

    /// Whatever holds one of these tells a secret: those planted, those given out once, and hashes.
    List<String> secrets() {
        var all = new java.util.ArrayList<>(given);
        all.add(CANARY);
        all.add("$2a$");
        return all;
    }

    /// Tells the name of every file of the store.
    void files(Consumer<String> each) {
        try (var files = S3Server.open(bucket)) {
            for (var top : List.of("log", "application-live-state", "command-output", "insights"))
                files.files().list(FilePath.of(top), f -> each.accept(f.path().toString()));
        }
    }

    long opsPid() {
        return ops.pid();
    }

    String opsLog() {
        return ops.log();
    }

    String log() {
        try {
            return Files.readString(folder.resolve("server.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
