// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pipecd.agent.report.ControlPlaneClient;
import dev.pipecd.agent.secret.Secrets;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.PipedId;
import dev.pipecd.domain.ProjectId;
import dev.pipecd.wire.model.Piped;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.piped.ReportPipedMetaRequest;
import dev.pipecd.wire.piped.ReportPipedMetaResponse;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class IntroductionTest {
    private static final String BOTH_DIALECTS =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: Piped
            spec:
              projectID: ours
              pipedID: p1
              pipedKeyData: a2V5
              apiAddress: localhost:8080
              platformProviders:
                - {name: cluster-a, type: KUBERNETES}
                - {name: functions, type: LAMBDA, config: {region: eu-west-1}}
              plugins:
                - {name: wait}
                - {name: hosts, url: /opt/hosts, deployTargets: [{name: web}]}
            """;

    @Test
    void providersOfPlatformsAreToldAsBothDialectsKnowThem() throws IOException {
        var asked = new AtomicReference<>(ReportPipedMetaRequest.getDefaultInstance());
        var server =
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                        .addService(new Listening(asked))
                        .build()
                        .start();
        var config = Documents.piped("piped.yaml", BOTH_DIALECTS.getBytes(StandardCharsets.UTF_8));
        try (var client =
                new ControlPlaneClient(
                        "127.0.0.1:" + server.getPort(),
                        new ControlPlaneClient.Security.Plaintext(),
                        new ProjectId("ours"),
                        new PipedId("p1"),
                        "key")) {
            var secrets = new Secrets(config.value().additions().secretManagement());
            assertThat(new Introduction(config, secrets).to(client).name()).isEqualTo("dev");
        } finally {
            server.shutdownNow();
        }

        assertThat(asked.get().getPlatformProvidersList())
                .extracting(Piped.PlatformProvider::getName, Piped.PlatformProvider::getType)
                .containsExactlyInAnyOrder(
                        tuple("cluster-a", "KUBERNETES"), tuple("functions", "LAMBDA"));
        assertThat(asked.get().getPluginsList())
                .extracting(p -> p.getName() + " " + p.getDeployTargetsList())
                .contains("hosts [web]", "kubernetes [cluster-a]", "lambda [functions]");
    }

    private static final class Listening extends PipedServiceGrpc.PipedServiceImplBase {
        private final AtomicReference<ReportPipedMetaRequest> asked;

        Listening(AtomicReference<ReportPipedMetaRequest> asked) {
            this.asked = asked;
        }

        @Override
        public void reportPipedMeta(
                ReportPipedMetaRequest request, StreamObserver<ReportPipedMetaResponse> answer) {
            asked.set(request);
            answer.onNext(ReportPipedMetaResponse.newBuilder().setName("dev").build());
            answer.onCompleted();
        }
    }
}
