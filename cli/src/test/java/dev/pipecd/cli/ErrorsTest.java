// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.pipecd.wire.api.GetApplicationRequest;
import dev.pipecd.wire.api.SyncApplicationRequest;
import io.grpc.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErrorsTest {
    private static final String[] GET = {"application", "get", "--app-id", "a1"};

    private final RecordingApiService api = RecordingApiService.publicOne();
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @TempDir Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anUnknownKeyIsToldByItsSource() throws IOException {
        api.answer(
                GetApplicationRequest.class,
                Status.UNAUTHENTICATED.withDescription("Unauthenticated"));
        var file = Files.writeString(folder.resolve("api-key"), "k1.secret\n");

        var run =
                pipectl(
                        "application",
                        "get",
                        "--app-id",
                        "a1",
                        "--insecure",
                        "--address",
                        server.address(),
                        "--api-key-file",
                        file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: API key: that of --api-key-file %s (expected: one that %s knows and that is enabled). \
                                Check that it is whole, enabled and of this control plane, or ask an administrator for a new one.
                                """
                                        .formatted(file, server.address())));
        assertThat(server.credentials()).containsExactly("API-KEY k1.secret");
    }

    @Test
    void aKeyThatMayNotIsTold() {
        api.answer(
                SyncApplicationRequest.class,
                Status.PERMISSION_DENIED.withDescription("READ_ONLY"));

        assertThat(pipectl(server, "application", "sync", "--app-id", "a1"))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: API key: that of --api-key may not do this: READ_ONLY. \
                                Use a key with the role READ_WRITE, of the same project.
                                """));
    }

    @Test
    void whoMayNotApproveIsToldWhomToAsk() {
        api.answer(
                SyncApplicationRequest.class,
                Status.PERMISSION_DENIED.withDescription(
                        "approver: me (expected: one of [ann]). Ask one of them to approve."));

        assertThat(pipectl(server, "application", "sync", "--app-id", "a1"))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: API key: that of --api-key may not do this: \
                                approver: me (expected: one of [ann]). Ask one of them to approve.
                                """));
    }

    @Test
    void somethingThatIsNotThereIsTold() {
        api.answer(
                GetApplicationRequest.class,
                Status.NOT_FOUND.withDescription("application: a1 (expected: an id\n)"));

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: application: a1 (expected: an id\\u{a}). \
                                Check the id: `pipectl application list` and `pipectl deployment list` show those there are.
                                """));
    }

    @Test
    void adviceOfTheControlPlaneIsNotFollowedByASecondOne() {
        api.answer(
                GetApplicationRequest.class,
                Status.NOT_FOUND.withDescription("application: a1 is unknown. Check the id."));

        assertThat(pipectl(server, GET))
                .isEqualTo(new Run(1, "", "Error: application: a1 is unknown. Check the id.\n"));
    }

    @Test
    void whatCannotBeDoneNowIsNoFaultOfTheControlPlane() {
        api.answer(
                GetApplicationRequest.class,
                Status.FAILED_PRECONDITION.withDescription(
                        "application: a1 is disabled. Enable it."));

        assertThat(pipectl(server, GET))
                .isEqualTo(new Run(1, "", "Error: application: a1 is disabled. Enable it.\n"));
    }

    @Test
    void aRefusedRequestIsTold() {
        api.answer(
                GetApplicationRequest.class,
                Status.INVALID_ARGUMENT.withDescription("invalid request: x"));

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: invalid request: x. Correct the flags and try again.\n"));
    }

    @Test
    void aCallTheServerDoesNotKnowIsTold() {
        api.answer(GetApplicationRequest.class, Status.UNIMPLEMENTED);

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: --address: %s (expected: the API of a control plane). \
                                It answers, but does not know this call: check the port.
                                """
                                        .formatted(server.address())));
    }

    @Test
    void aFailureOfTheServerIsTold() {
        api.answer(GetApplicationRequest.class, Status.INTERNAL.withDescription("disk full"));

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: The control plane failed: disk full. See its log for the cause.\n"));
    }

    @Test
    void whatIsThereAlreadyIsNoFaultOfTheControlPlane() {
        api.answer(
                GetApplicationRequest.class,
                Status.ALREADY_EXISTS.withDescription("application: a stands for it already."));

        assertThat(pipectl(server, GET))
                .isEqualTo(new Run(1, "", "Error: application: a stands for it already.\n"));
    }

    @Test
    void aFailureThatIsASentenceHasOneFullStop() {
        api.answer(GetApplicationRequest.class, Status.INTERNAL.withDescription("It is odd."));

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: The control plane failed: It is odd. See its log for the cause.\n"));
    }

    @Test
    void aDatabaseThatIsAwayIsNoWrongAddress() {
        api.answer(
                GetApplicationRequest.class,
                Status.UNAVAILABLE.withDescription("store: unavailable. Look at the log."));

        assertThat(pipectl(server, GET))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: The control plane cannot do it now: store: unavailable. Look at the log.\n"));
    }

    @Test
    void aPortWhereNothingListensIsTold() throws IOException {
        // Bound and not listening: nobody else can take the port meanwhile.
        try (var nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var port = nobody.getLocalPort();

            var run =
                    pipectl(
                            "application",
                            "list",
                            "--insecure",
                            "--api-key",
                            "k",
                            "--address",
                            "localhost:" + port);

            assertThat(run)
                    .isEqualTo(
                            new Run(
                                    1,
                                    "",
                                    """
                                    Error: --address: localhost:%d (expected: a control plane that answers; nothing listens there). \
                                    Check address and port, that the server runs, and that it speaks plaintext there; without --insecure TLS is used.
                                    """
                                            .formatted(port)));
        }
    }

    @Test
    void aPortWhereSomethingElseAnswersIsTold() throws IOException {
        var other =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.start();
        try {
            var address = "localhost:" + other.getAddress().getPort();

            var run =
                    pipectl(
                            "application",
                            "list",
                            "--insecure",
                            "--api-key=k",
                            "--address=" + address);

            assertThat(run.code()).isEqualTo(1);
            assertThat(run.err())
                    .startsWith(
                            "Error: --address: %s (expected: a control plane that answers; what answers there does not speak gRPC). Check address and port"
                                    .formatted(address));
        } finally {
            other.stop(0);
        }
    }

    @Test
    void aPortThatCannotBeIsToldAtOnce() {
        assertThat(pipectl("application", "list", "--api-key=k", "--address=localhost:65536"))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --address: localhost:65536 (expected: a port up to 65535). Correct the port.\n"));
    }

    @Test
    void aFileThatIsNotThereIsToldInWords() {
        assertThat(pipectl("encrypt", "--piped-id=p", "--input-file=/no/such"))
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                "Error: --input-file: /no/such: cannot be read (expected: a file with the secret). Check the path and its permissions: there is no such file or folder.\n"));
    }

    @Test
    void aHostThatDoesNotExistIsTold() {
        var run =
                pipectl(
                        "application",
                        "list",
                        "--api-key",
                        "k",
                        "--address",
                        "no-such-host.invalid:443");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith(
                        "Error: --address: no-such-host.invalid:443 (expected: a control plane that answers; ");
    }

    @Test
    void thePortThatIsMissingIsToldWhereNothingAnswers() {
        var run = pipectl("application", "list", "--api-key", "k", "--address", "host.invalid");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("). Give the port too, as host:port. Check address");
    }

    @Test
    void anAddressWithASchemeIsTold() {
        var run =
                pipectl(
                        "application",
                        "list",
                        "--api-key",
                        "k",
                        "--address",
                        "http://localhost:8080/");

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: --address: http://localhost:8080/ (expected: host:port). \
                                Leave out http:// and any path, for example --address localhost:8080.
                                """));
    }

    @Test
    void aKeyFileThatIsMissingIsTold() {
        var file = folder.resolve("none");

        var run =
                pipectl(
                        "application",
                        "list",
                        "--address",
                        server.address(),
                        "--api-key-file",
                        file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: --api-key-file: %s (expected: a file that exists). \
                                Correct the path, or give the key itself with --api-key.
                                """
                                        .formatted(file)));
    }

    @Test
    void aKeyFileThatHoldsSomethingElseIsToldWithoutShowingIt() throws IOException {
        var file = Files.writeString(folder.resolve("notes"), "two secret\nlines");

        var run =
                pipectl(
                        "application",
                        "list",
                        "--address",
                        server.address(),
                        "--api-key-file",
                        file.toString());

        assertThat(run)
                .isEqualTo(
                        new Run(
                                1,
                                "",
                                """
                                Error: API key: what --api-key-file %s holds (expected: one key, in one line, without blanks). \
                                Put just the key into the file, as it was shown when it was made.
                                """
                                        .formatted(file)));
    }
}
