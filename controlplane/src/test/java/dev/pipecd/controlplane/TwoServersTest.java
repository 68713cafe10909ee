// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static dev.pipecd.controlplane.Samples.gitPath;
import static dev.pipecd.controlplane.Samples.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.google.protobuf.ByteString;
import dev.pipecd.controlplane.cache.RedisProcess;
import dev.pipecd.controlplane.filestore.S3Server;
import dev.pipecd.controlplane.store.TestDatabases;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.link.LinkServiceGrpc;
import dev.pipecd.wire.link.Signal;
import dev.pipecd.wire.link.WatchRequest;
import dev.pipecd.wire.model.ApplicationGitRepository;
import dev.pipecd.wire.model.LogBlock;
import dev.pipecd.wire.model.Piped.ConnectionStatus;
import dev.pipecd.wire.piped.CreateDeploymentRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportStageLogsRequest;
import dev.pipecd.wire.piped.ReportStatRequest;
import dev.pipecd.wire.web.AddApplicationRequest;
import dev.pipecd.wire.web.DisablePipedRequest;
import dev.pipecd.wire.web.GetDeploymentRequest;
import dev.pipecd.wire.web.GetPipedRequest;
import dev.pipecd.wire.web.GetStageLogRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.RegisterPipedResponse;
import dev.pipecd.wire.web.RestartPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/// Real servers on one MySQL or MariaDB, Redis and S3; one of them is killed.
@ParameterizedClass
@ValueSource(strings = {"MYSQL", "MARIADB"})
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TwoServersTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String DEPLOYMENT = "d0000000-0000-0000-0000-000000000001";

    @TempDir private static Path folders;
    private static Path folder = Path.of("");
    private static List<ServerProcess> servers = List.of();
    private static String cache = "";

    @Parameter String engine = "";

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        folder = Files.createDirectory(folders.resolve(engine));
        configure(engine);
        cache = "--cache-address=" + RedisProcess.database();
        servers =
                List.of(
                        new ServerProcess("one", folder, cache),
                        new ServerProcess("other", folder, cache));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        servers.forEach(ServerProcess::close);
    }

    /// Last, since one server is gone then.
    @Test
    @Order(Integer.MAX_VALUE)
    void whatIsDoneAtOneServerIsKnownAtTheOtherAndKillingOneLosesNothing() throws Exception {
        var one = servers.getFirst();
        var doomed = servers.getLast();
        var people = WebServiceGrpc.newBlockingStub(one.person());
        var agent = registered(people);
        var elsewhere =
                PipedServiceGrpc.newBlockingStub(doomed.agent(agent.getId(), agent.getKey()));
        started(elsewhere);
        var application = application(people, agent.getId());

        // an order given here reaches the agent that holds its link there
        var link = link(doomed, agent);
        assertThat(link.next().hasKeepAlive()).isTrue();
        var order =
                people.restartPiped(
                                RestartPipedRequest.newBuilder().setPipedId(agent.getId()).build())
                        .getCommandId();
        assertThat(news(link).getCommand().getId()).isEqualTo(order);

        // what was acknowledged there is here after its end
        deployed(elsewhere, DEPLOYMENT, application, agent.getId());
        logged(elsewhere, 1, "from the one that dies");
        var acknowledged = writtenUntilKilled(doomed, elsewhere, application, agent.getId());
        var here = PipedServiceGrpc.newBlockingStub(one.agent(agent.getId(), agent.getKey()));
        logged(here, 2, "from the one that lives");
        assertThat(
                        people.getStageLog(
                                        GetStageLogRequest.newBuilder()
                                                .setDeploymentId(DEPLOYMENT)
                                                .setStageId("s1")
                                                .build())
                                .getBlocksList())
                .startsWith(line(1, "from the one that dies"), line(2, "from the one that lives"))
                .containsAll(acknowledged.lines());
        for (var id : acknowledged.deployments())
            assertThat(
                            people.getDeployment(
                                            GetDeploymentRequest.newBuilder()
                                                    .setDeploymentId(id)
                                                    .build())
                                    .getDeployment()
                                    .getId())
                    .isEqualTo(id);
        assertThat(news(link(one, agent)).getCommand().getId()).isEqualTo(order);
    }

    /// Several write lines and reports as fast as they can; one that fails stops.
    private static Acknowledged writtenUntilKilled(
            ServerProcess doomed,
            PipedServiceGrpc.PipedServiceBlockingStub agent,
            String application,
            String piped)
            throws Exception {
        var acknowledged =
                new Acknowledged(new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>());
        var next = new AtomicInteger(2);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var i = 0; i < 6; i++) {
                threads.execute(
                        untilItFails(() -> {
                            var index = next.incrementAndGet();
                            logged(agent, index, "line " + index);
                            acknowledged.lines().add(line(index, "line " + index));
                        }));
                threads.execute(
                        untilItFails(() -> {
                            var id =
                                    "e0000000-0000-0000-0000-%012d"
                                            .formatted(next.incrementAndGet());
                            deployed(agent, id, application, piped);
                            acknowledged.deployments().add(id);
                        }));
            }
            await().atMost(PATIENCE)
                    .until(() ->
                            acknowledged.lines().size() > 30
                                    && acknowledged.deployments().size() > 30);
            doomed.kill();
        }
        return acknowledged;
    }

    private static Runnable untilItFails(Runnable write) {
        return () -> {
            try {
                while (true) write.run();
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getCode()).isNotEqualTo(Status.Code.OK);
            }
        };
    }

    private record Acknowledged(Queue<LogBlock> lines, Queue<String> deployments) {}

    @Test
    void anAgentIsOnlineAndDisabledForAllServersAtOnce() throws Exception {
        var one = servers.getFirst();
        var other = servers.getLast();
        var people = WebServiceGrpc.newBlockingStub(one.person());
        var agent = registered(people);
        var there = PipedServiceGrpc.newBlockingStub(other.agent(agent.getId(), agent.getKey()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> {
                    started(there); // again and again: a cache that is slow once forgets it
                    assertThat(
                                    people.getPiped(
                                                    GetPipedRequest.newBuilder()
                                                            .setPipedId(agent.getId())
                                                            .build())
                                            .getPiped()
                                            .getStatus())
                            .isEqualTo(ConnectionStatus.ONLINE);
                });

        var link = link(other, agent);
        assertThat(link.next().hasKeepAlive()).isTrue();
        var _ =
                people.disablePiped(
                        DisablePipedRequest.newBuilder().setPipedId(agent.getId()).build());

        assertThatThrownBy(() -> news(link)).hasMessage("UNAUTHENTICATED: Unauthenticated");
    }

    @Test
    void whatAnAgentTellsAServerOpsTellsPrometheus() throws Exception {
        var one = servers.getFirst();
        var agent = registered(WebServiceGrpc.newBlockingStub(one.person()));
        var calls = PipedServiceGrpc.newBlockingStub(one.agent(agent.getId(), agent.getKey()));
        var stat =
                ReportStatRequest.newBuilder()
                        .setPipedStats(ByteString.copyFromUtf8("up 1\n"))
                        .build();

        try (var ops = Ops.start(OpsTest.options(folder, cache.replaceFirst(".*?=", "")))) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> {
                        var _ = calls.reportStat(stat);
                        assertThat(OpsTest.get(ops, "/metrics"))
                                .contains(
                                        "up{pipecd_component=\"piped\",piped=\"%s\",project=\"quickstart\"} 1\n"
                                                .formatted(agent.getId()))
                                .contains("pipecd_component=\"ops\"");
                    });
        }
    }

    private static void configure(String engine) throws Exception {
        var bucket = S3Server.bucket();
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(folder.resolve("access"), "access\n");
        Files.writeString(folder.resolve("secret"), "secret-secret\n");
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  datastore: %s
                  filestore:
                    type: MINIO
                    config:
                      endpoint: %s
                      bucket: %s
                      accessKeyFile: %s
                      secretKeyFile: %s
                      autoCreateBucket: true
                  projects:
                    - id: quickstart
                      staticAdmin:
                        username: hello-pipecd
                        passwordHash: "%s"
                """
                        .formatted(
                                TestDatabases.shared(engine),
                                bucket.endpoint(),
                                bucket.bucket(),
                                folder.resolve("access"),
                                folder.resolve("secret"),
                                BCrypt.withDefaults()
                                        .hashToString(4, "hello-pipecd".toCharArray())));
    }

    private static RegisterPipedResponse registered(WebServiceGrpc.WebServiceBlockingStub people) {
        return people.registerPiped(RegisterPipedRequest.newBuilder().setName("east").build());
    }

    private static void started(PipedServiceGrpc.PipedServiceBlockingStub agent) {
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
    }

    private static String application(WebServiceGrpc.WebServiceBlockingStub people, String piped) {
        return people.addApplication(
                        AddApplicationRequest.newBuilder()
                                .setName("site")
                                .setPipedId(piped)
                                .setGitPath(gitPath("site"))
                                .build())
                .getApplicationId();
    }

    private static void deployed(
            PipedServiceGrpc.PipedServiceBlockingStub agent,
            String id,
            String application,
            String piped) {
        var who = World.agent(new ProjectId("quickstart"), new PipedId(piped));
        var deployment = Samples.deployment(id, application, who).toBuilder();
        deployment
                .getTriggerBuilder()
                .getCommitBuilder()
                .setMessage("change")
                .setAuthor("ann")
                .setBranch("main")
                .setCreatedAt(1);
        var _ =
                agent.createDeployment(
                        CreateDeploymentRequest.newBuilder().setDeployment(deployment).build());
    }

    private static void logged(
            PipedServiceGrpc.PipedServiceBlockingStub agent, int index, String text) {
        var _ =
                agent.reportStageLogs(
                        ReportStageLogsRequest.newBuilder()
                                .setDeploymentId(DEPLOYMENT)
                                .setStageId("s1")
                                .addBlocks(line(index, text))
                                .build());
    }

    private static Iterator<Signal> link(ServerProcess server, RegisterPipedResponse agent) {
        return LinkServiceGrpc.newBlockingStub(server.agent(agent.getId(), agent.getKey()))
                .withDeadlineAfter(PATIENCE)
                .watch(WatchRequest.getDefaultInstance());
    }

    private static Signal news(Iterator<Signal> link) {
        var signal = link.next();
        while (!signal.hasCommand()) signal = link.next();
        return signal;
    }
}
