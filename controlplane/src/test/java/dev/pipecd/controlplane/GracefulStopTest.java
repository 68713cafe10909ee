// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import at.favre.lib.crypto.bcrypt.BCrypt;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.api.RegisterEventRequest;
import dev.pipecd.wire.delivery.DeliveryServiceGrpc;
import dev.pipecd.wire.delivery.GetEventRequest;
import dev.pipecd.wire.model.APIKey;
import dev.pipecd.wire.web.GenerateAPIKeyRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real server that is told to stop while many write.
final class GracefulStopTest {
    private static final int WRITERS = 16;

    /// Whoever is told so tries again.
    private static final Set<Status.Code> ENDS =
            Set.of(Status.Code.UNAVAILABLE, Status.Code.CANCELLED);

    @TempDir private Path folder;

    @Test
    void whatWasAcknowledgedBeforeAStopIsThereAfterTheNextStart() throws Exception {
        configure();
        Map<String, String> acknowledged = new ConcurrentHashMap<>();
        Queue<Status> failures = new ConcurrentLinkedQueue<>();
        String key;
        try (var server = new ServerProcess("server", folder);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            key = key(server.person());
            var holder = server.keyHolder(key);
            // a key nobody has seen yet is looked at one call after the other
            var _ =
                    APIServiceGrpc.newBlockingStub(holder)
                            .registerEvent(
                                    RegisterEventRequest.newBuilder()
                                            .setName("first")
                                            .setData("of all")
                                            .build());
            for (var i = 0; i < WRITERS; i++) {
                var name = "writer-" + i;
                threads.execute(() -> write(holder, name, acknowledged, failures));
            }
            await().atMost(Duration.ofMinutes(2)).until(() -> acknowledged.size() > 10 * WRITERS);

            assertThat(server.terminate()).isZero();
        }

        assertThat(failures).hasSize(WRITERS).allMatch(s -> ENDS.contains(s.getCode()));
        try (var again = new ServerProcess("server", folder)) {
            var calls = DeliveryServiceGrpc.newBlockingStub(again.keyHolder(key));
            acknowledged.forEach((id, data) ->
                    assertThat(
                                    calls.getEvent(
                                                    GetEventRequest.newBuilder()
                                                            .setEventId(id)
                                                            .build())
                                            .getEvent()
                                            .getData())
                            .isEqualTo(data));
        }
    }

    /// One event after the other, until one is not taken.
    private static void write(
            Channel holder, String name, Map<String, String> acknowledged, Queue<Status> failures) {
        var calls = APIServiceGrpc.newBlockingStub(holder);
        try {
            for (var i = 0; ; i++) {
                var data = name + " " + i;
                var answer =
                        calls.registerEvent(
                                RegisterEventRequest.newBuilder()
                                        .setName(name)
                                        .setData(data)
                                        .build());
                acknowledged.put(answer.getEventId(), data);
            }
        } catch (StatusRuntimeException e) {
            failures.add(e.getStatus());
        }
    }

    private static String key(Channel person) {
        return WebServiceGrpc.newBlockingStub(person)
                .generateAPIKey(
                        GenerateAPIKeyRequest.newBuilder()
                                .setName("robot")
                                .setRole(APIKey.Role.READ_WRITE)
                                .build())
                .getKey();
    }

    private void configure() throws Exception {
        Files.writeString(folder.resolve("key"), "k".repeat(64));
        Files.writeString(
                folder.resolve("control-plane.yaml"),
                """
                apiVersion: pipecd.dev/v1beta1
                kind: ControlPlane
                spec:
                  projects:
                    - id: quickstart
                      staticAdmin: {username: hello-pipecd, passwordHash: "%s"}
                """
                        .formatted(
                                BCrypt.withDefaults()
                                        .hashToString(4, "hello-pipecd".toCharArray())));
    }
}
