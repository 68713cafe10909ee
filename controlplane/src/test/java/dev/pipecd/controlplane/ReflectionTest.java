// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// What tools such as grpcurl are told of the services.
final class ReflectionTest {
    @Test
    void toolsMayAskForServicesOnlyWhereThatIsSwitchedOn() throws Exception {
        try (var shut = RunningServer.start()) {
            assertThat(services(shut.channel("gateway"))).containsExactly("UNIMPLEMENTED");
            assertThat(servicesByOldName(shut.channel("gateway"))).containsExactly("UNIMPLEMENTED");
        }
        try (var open = RunningServer.start(RunningServer.Choices.usual().withReflection())) {
            for (var port : List.of("gateway", "piped API"))
                assertThat(services(open.channel(port)))
                        .contains("grpc.service.pipedservice.PipedService");
            assertThat(services(open.channel("web API")))
                    .contains("grpc.service.webservice.WebService");
            assertThat(services(open.channel("authorization")))
                    .contains("envoy.service.auth.v3.Authorization");
            // as the public server
            assertThat(services(open.channel("API"))).containsExactly("UNIMPLEMENTED");
        }
    }

    /// Many tools know no other yet.
    @Test
    void theyAreToldUnderTheOldNameOfReflectionToo() throws Exception {
        try (var open = RunningServer.start(RunningServer.Choices.usual().withReflection())) {
            for (var port : List.of("gateway", "piped API", "web API", "authorization"))
                assertThat(servicesByOldName(open.channel(port)))
                        .as(port)
                        .isNotEmpty()
                        .containsExactlyElementsOf(services(open.channel(port)));
            assertThat(servicesByOldName(open.channel("API"))).containsExactly("UNIMPLEMENTED");
        }
    }

    /// What a server tells of its services, or why it does not.
    static List<String> services(Channel channel) throws InterruptedException {
        var told =
                new Told<ServerReflectionResponse>(answer ->
                        answer.getListServicesResponse().getServiceList().stream()
                                .map(ServiceResponse::getName)
                                .toList());
        ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(told)
                .onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        return told.next();
    }

    @SuppressWarnings("deprecation")
    private static List<String> servicesByOldName(Channel channel) throws InterruptedException {
        var told =
                new Told<io.grpc.reflection.v1alpha.ServerReflectionResponse>(answer ->
                        answer.getListServicesResponse().getServiceList().stream()
                                .map(io.grpc.reflection.v1alpha.ServiceResponse::getName)
                                .toList());
        io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(told)
                .onNext(
                        io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                                .setListServices("")
                                .build());
        return told.next();
    }

    private record Told<A>(
            Function<A, List<String>> names, LinkedBlockingQueue<List<String>> answers)
            implements StreamObserver<A> {
        Told(Function<A, List<String>> names) {
            this(names, new LinkedBlockingQueue<>());
        }

        List<String> next() throws InterruptedException {
            return Objects.requireNonNull(answers.poll(1, TimeUnit.MINUTES));
        }

        @Override
        public void onNext(A answer) {
            answers.add(names.apply(answer));
        }

        @Override
        public void onError(Throwable error) {
            answers.add(List.of(Status.fromThrowable(error).getCode().name()));
        }

        @Override
        public void onCompleted() {}
    }
}
