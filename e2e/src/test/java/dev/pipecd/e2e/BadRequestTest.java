// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.e2e;

import static dev.pipecd.wire.model.StageStatus.STAGE_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.e2e.Person.Rollback;
import dev.pipecd.wire.api.APIServiceGrpc;
import dev.pipecd.wire.piped.ListUnhandledCommandsRequest;
import dev.pipecd.wire.piped.PipedServiceGrpc;
import dev.pipecd.wire.web.GetMeRequest;
import dev.pipecd.wire.web.GetPipedRequest;
import dev.pipecd.wire.web.RegisterPipedRequest;
import dev.pipecd.wire.web.WebServiceGrpc;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What strangers and broken programs send: refused with the right status and a text that helps,
/// while everybody else is served.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadRequestTest {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private Installation at;

    @BeforeAll
    void open() {
        at = Installation.open();
    }

    @AfterAll
    void close() throws Exception {
        at.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../outside", "inside/../../outside", "a/.."})
    void anApplicationOutsideTheRepositoryIsRefused(String path) {
        assertThatThrownBy(() -> at.register("outside", path, "samples"))
                .hasMessage(
                        "INVALID_ARGUMENT: path: \"%s\" (expected: a folder inside the repository). Give the folder of the application from the root of the repository."
                                .formatted(path));
    }

    @Test
    void idsOfAnotherProjectAreUnknown() {
        var eve = at.login("theirs", "eve");
        var app = at.add("private", Sample.pipeline().approval(1, Installation.USER, "eve"));
        var ours = app.awaitStage(app.first(), 0, STAGE_RUNNING);
        var command = at.person().sync(app.id());

        refusesAsUnknown(() -> eve.application(app.id()));
        refusesAsUnknown(() -> eve.deployment(ours.getId()));
        refusesAsUnknown(() -> eve.approve(ours, 0));
        refusesAsUnknown(() -> eve.sync(app.id()));
        refusesAsUnknown(() -> eve.command(command));
        refusesAsUnknown(() -> {
            eve.cancel(ours, Rollback.NO);
            return "";
        });
        refusesAsUnknown(() ->
                eve.web().getPiped(GetPipedRequest.newBuilder().setPipedId(at.pipedId()).build()));
        assertThat(eve.log(ours, 0)).isEmpty();
        assertThat(eve.deployments(app.id())).isEmpty();
        at.person().approve(ours, 0);
        assertThat(App.told(app.awaitEnd(ours))).isEqualTo("DEPLOYMENT_SUCCESS Succeeded");
    }

    private static void refusesAsUnknown(Callable<?> call) {
        assertThatThrownBy(call::call)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> {
                            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
                            assertThat(e.getStatus().getDescription())
                                    .contains("is unknown (expected: one of this project)");
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "token",
                "token=",
                "token=nonsense",
                "token=a.b.c",
                "token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.",
                ";;=;,token==\"",
            })
    void aMalformedCookieIsNobody(String cookie) {
        var headers = new Metadata();
        headers.put(Person.COOKIE, cookie);

        var refused =
                refused(stub -> WebServiceGrpc.newBlockingStub(stub), headers)
                        .apply(stub -> stub.getMe(GetMeRequest.getDefaultInstance()));

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
        assertThat(refused.getStatus().getDescription()).isNotEmpty();
        assertThat(at.person().web().getMe(GetMeRequest.getDefaultInstance()).getSubject())
                .isEqualTo(Installation.USER);
    }

    @Test
    void withoutAuthorizationAnAgentIsNobody() {
        var refused =
                refused(stub -> PipedServiceGrpc.newBlockingStub(stub), new Metadata())
                        .apply(stub ->
                                stub.listUnhandledCommands(
                                        ListUnhandledCommandsRequest.getDefaultInstance()));

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void withoutAuthorizationAProgramIsNobody() {
        var refused =
                refused(stub -> APIServiceGrpc.newBlockingStub(stub), new Metadata())
                        .apply(stub ->
                                stub.listApplications(
                                        dev.pipecd.wire.api.ListApplicationsRequest
                                                .getDefaultInstance()));

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    @Test
    void aWrongApiKeyIsToldAtTheCommandLine() {
        at.write("wrong-key", "nobody.0123456789\n");

        var ended = at.pipectl(at.dir().resolve("wrong-key"), "application", "list");

        assertThat(ended.code()).isNotZero();
        assertThat(ended.output()).containsIgnoringCase("key");
    }

    @Test
    void anUnknownApplicationIsToldAtTheCommandLine() {
        var ended = at.pipectl("application", "get", "--app-id", "no-such-application");

        assertThat(ended.code()).isNotZero();
        assertThat(ended.output()).contains("no-such-application").contains("is unknown");
    }

    @Test
    void aWrongKeyAThousandTimesHindersNobodyElse() throws Exception {
        var channel = Person.channel(at.port());
        try (var guessers = Executors.newFixedThreadPool(8)) {
            var answers = new ArrayList<Future<Status.Code>>();
            for (var guess = 0; guess < 1000; guess++) {
                var headers = new Metadata();
                headers.put(
                        AUTHORIZATION,
                        "PIPED-TOKEN ours,%s,wrong%d".formatted(at.pipedId(), guess));
                var stub =
                        PipedServiceGrpc.newBlockingStub(channel)
                                .withInterceptors(
                                        MetadataUtils.newAttachHeadersInterceptor(headers));
                answers.add(guessers.submit(() -> guessed(stub)));
            }

            var app = at.add("meanwhile", Sample.pipeline().script("echo fine"));
            assertThat(App.told(app.awaitEnd(app.first())))
                    .isEqualTo("DEPLOYMENT_SUCCESS Succeeded");

            assertThat(codes(answers))
                    .isSubsetOf(Status.Code.UNAUTHENTICATED, Status.Code.RESOURCE_EXHAUSTED)
                    .contains(Status.Code.UNAUTHENTICATED);
        } finally {
            channel.shutdownNow();
        }
        at.person().sync(at.add("after", Sample.pipeline().script("echo fine")).id());
    }

    private static Status.Code guessed(PipedServiceGrpc.PipedServiceBlockingStub stub) {
        try {
            stub.listUnhandledCommands(ListUnhandledCommandsRequest.getDefaultInstance());
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    private static List<Status.Code> codes(List<Future<Status.Code>> answers)
            throws ExecutionException, InterruptedException {
        var codes = new ArrayList<Status.Code>();
        for (var answer : answers) codes.add(answer.get());
        return codes.stream().distinct().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/webhook/github", "/webhook/gitlab", "/auth/login/static"})
    void aBodyOverTheLimitIsRefused(String path) throws Exception {
        var request =
                HttpRequest.newBuilder(at.uri().resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[30 << 20]))
                        .build();

        try (var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            try {
                assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                        .isEqualTo(413);
            } catch (IOException cutOff) {
                // It may hang up before all is sent: nobody has to read 30 MB to refuse them.
                assertThat(cutOff).hasMessageMatching("(?s).*(reset|closed|Broken pipe|EOF).*");
            }
        }
        assertThat(at.person().web().getMe(GetMeRequest.getDefaultInstance()).getSubject())
                .isEqualTo(Installation.USER);
    }

    @Test
    void aMessageOverTheLimitIsRefused() {
        var request = RegisterPipedRequest.newBuilder().setName("x".repeat(30 << 20)).build();

        assertThatThrownBy(() -> at.person().web().registerPiped(request))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .as(e.getMessage())
                                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
        assertThat(at.person().web().getMe(GetMeRequest.getDefaultInstance()).getSubject())
                .isEqualTo(Installation.USER);
    }

    private <S extends AbstractStub<S>> Refused<S> refused(
            java.util.function.Function<io.grpc.Channel, S> stub, Metadata headers) {
        return call -> {
            var channel = Person.channel(at.port());
            try {
                call.accept(
                        stub.apply(channel)
                                .withInterceptors(
                                        MetadataUtils.newAttachHeadersInterceptor(headers)));
                throw new AssertionError("answered (expected: refused)");
            } catch (StatusRuntimeException e) {
                return e;
            } finally {
                channel.shutdownNow();
            }
        };
    }

    private interface Refused<S> {
        StatusRuntimeException apply(java.util.function.Consumer<S> call);
    }
}
