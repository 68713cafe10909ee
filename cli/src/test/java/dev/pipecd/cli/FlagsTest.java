// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli;

import static dev.pipecd.cli.Run.pipectl;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.cli.flag.LengthOfTime;
import dev.pipecd.wire.api.ListApplicationsRequest;
import dev.pipecd.wire.api.ListApplicationsResponse;
import dev.pipecd.wire.api.ListDeploymentsRequest;
import dev.pipecd.wire.api.ListDeploymentsResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlagsTest {
    private final RecordingApiService api =
            RecordingApiService.publicOne()
                    .answer(
                            ListApplicationsRequest.class,
                            ListApplicationsResponse.getDefaultInstance());
    private final LoopbackServer server = LoopbackServer.plaintext(api);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void sharedFlagsMayStandBeforeTheSubCommand() {
        var run =
                pipectl(
                        "application",
                        "--address",
                        server.address(),
                        "--api-key=k1.secret",
                        "--insecure",
                        "list",
                        "--limit=3");

        assertThat(run.code()).isZero();
        assertThat(api.requests())
                .containsExactly(ListApplicationsRequest.newBuilder().setLimit(3).build());
    }

    @Test
    void sharedFlagsMayStandOnBothSides() {
        var run =
                pipectl(
                        "application",
                        "--insecure=true",
                        "list",
                        "--address=" + server.address(),
                        "--api-key",
                        "k");

        assertThat(run.code()).isZero();
    }

    @Test
    void aBooleanCanBeSwitchedOff() {
        var run = pipectl(server, "application", "list", "--disabled=false");

        assertThat(run.code()).isZero();
        assertThat(api.requests())
                .containsExactly(ListApplicationsRequest.newBuilder().setLimit(10).build());
    }

    @ParameterizedTest
    @CsvSource({"1, true", "T, true", "True, true", "0, false", "f, false", "FALSE, false"})
    void aBooleanIsWrittenAsGoWritesIt(String text, boolean disabled) {
        var run = pipectl(server, "application", "list", "--disabled=" + text, "--insecure=t");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(api.requests(ListApplicationsRequest.class))
                .extracting(ListApplicationsRequest::getDisabled)
                .containsExactly(disabled);
    }

    @Test
    void whatIsNoBooleanIsACallingMistake() {
        var run = pipectl(server, "application", "list", "--disabled=yes");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--disabled", "\"yes\" (expected: true or false)");
    }

    @Test
    void theLastOfTwoEqualFlagsCounts() {
        pipectl(server, "application", "list", "--limit", "1", "--limit", "2");

        assertThat(api.requests())
                .containsExactly(ListApplicationsRequest.newBuilder().setLimit(2).build());
    }

    @Test
    void flagsOfEveryPublicBinaryAreTaken() {
        var run =
                pipectl(
                        server,
                        "application",
                        "list",
                        "--log-level=debug",
                        "--log-encoding",
                        "json",
                        "--metrics=false",
                        "--profile=false");

        assertThat(run.code()).isZero();
    }

    @Test
    void theyMayStandBeforeTheCommandToo() {
        var run =
                pipectl(
                        "--log-level=debug",
                        "--metrics",
                        "application",
                        "list",
                        "--insecure",
                        "--api-key=k",
                        "--address=" + server.address());

        assertThat(run.code()).as(run.err()).isZero();
    }

    @Test
    void aValueMayBeginWithAnAtSign() {
        pipectl(server, "application", "list", "--app-name", "@site");

        assertThat(api.requests())
                .containsExactly(
                        ListApplicationsRequest.newBuilder().setName("@site").setLimit(10).build());
    }

    /// Above all it must not show help and end well: a CI would take it for done.
    @ParameterizedTest
    @ValueSource(strings = {"-h", "--help", "--limit", "-only", "list"})
    void aValueMayLookLikeAFlagOrACommand(String value) {
        for (var flag : List.of(List.of("--app-name", value), List.of("--app-name=" + value))) {
            var args = Stream.concat(Stream.of("application", "list", "--disabled"), flag.stream());

            var run = pipectl(server, args.toArray(String[]::new));

            assertThat(run)
                    .as(flag.toString())
                    .isEqualTo(new Run(0, "", "No application matches.\n"));
        }
        assertThat(api.requests(ListApplicationsRequest.class))
                .extracting(ListApplicationsRequest::getName)
                .containsExactly(value, value);
    }

    @Test
    void aSharedFlagMayHaveTheNameOfACommandAsItsValue() {
        var run =
                pipectl(
                        "application",
                        "--api-key",
                        "list",
                        "--address=" + server.address(),
                        "--insecure",
                        "list");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(server.credentials()).containsExactly("API-KEY list");
    }

    @Test
    void theKeyFileIsTrimmed(@TempDir Path folder) throws IOException {
        var file = Files.writeString(folder.resolve("key"), "  k1.secret \n\n");

        pipectl(
                "application",
                "list",
                "--insecure",
                "--address",
                server.address(),
                "--api-key-file",
                file.toString());

        assertThat(server.credentials()).containsExactly("API-KEY k1.secret");
    }

    @Test
    void aMissingAddressIsACallingMistake() {
        assertThat(pipectl("application", "list", "--api-key", "k"))
                .isEqualTo(
                        new Run(
                                2,
                                "",
                                """
                                Error: --address: missing (expected: host:port of the control plane, for example localhost:8080, here or in PIPECTL_ADDRESS)
                                See `pipectl application list --help`.
                                """));
    }

    @Test
    void aMissingKeyIsACallingMistake() {
        assertThat(pipectl("deployment", "list", "--address", "localhost:1"))
                .isEqualTo(
                        new Run(
                                2,
                                "",
                                """
                                Error: --api-key-file: missing (expected: a file with an API key, --api-key with the key itself, or the key in PIPECTL_API_KEY)
                                See `pipectl deployment list --help`.
                                """));
    }

    @Test
    void aMissingRequiredFlagIsACallingMistake() {
        var run = pipectl(server, "application", "get");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: Missing required option: '--app-id=ID'\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application", "deployment"})
    void aLimitBelowZeroIsACallingMistake(String what) {
        var run = pipectl(server, what, "list", "--limit=-1");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: --limit: -1 (expected: 0 or more)\n");
        assertThat(api.requests()).isEmpty();
    }

    @Test
    void aMistypedFlagGetsASuggestion() {
        var run = pipectl(server, "application", "list", "--limits", "3");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("Unknown option")
                .contains("--limit")
                .endsWith("See `pipectl application list --help`.\n");
    }

    /// The log of a CI keeps what is printed here.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--api-key=SECRET application list",
                "--api-key SECRET application list",
                "application list --api-kee=SECRET",
                "application list --api-kee SECRET",
                "application get --api-kee=SECRET",
                "application list --insecure=true SECRET"
            })
    void whatWasGivenToAFlagIsNeverPrintedBack(String call) {
        var run = pipectl(call.split(" "));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out() + run.err()).isNotEmpty().doesNotContain("SECRET");
    }

    @Test
    void aMistypedFlagThatWasRequiredIsNamed() {
        var run = pipectl(server, "application", "get", "--app-idd=x");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo(
                        """
                        Error: Unknown option: '--app-idd' (did you mean '--app-id'?)
                        Missing required option: '--app-id=ID'
                        See `pipectl application get --help`.
                        """);
    }

    @Test
    void anUnknownStatusNamesThoseThereAre() {
        var run =
                pipectl(
                        server,
                        "deployment",
                        "wait-status",
                        "--deployment-id",
                        "d",
                        "--status",
                        "DONE");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        "'DONE' is not one of PENDING, PLANNED, RUNNING, ROLLING_BACK, SUCCESS, FAILURE, CANCELLED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application list", "deployment list"})
    void anUnknownKindNamesThoseThereAre(String list) {
        var run = pipectl(server, (list + " --app-kind=FOO").split(" "));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "Error: --app-kind: FOO (expected: one of KUBERNETES, TERRAFORM, LAMBDA, CLOUDRUN, ECS)\n");
    }

    @Test
    void aKindIsSentByItsPublicName() {
        pipectl(server, "application", "list", "--app-kind=ecs");

        assertThat(api.requests(ListApplicationsRequest.class))
                .extracting(ListApplicationsRequest::getKind)
                .containsExactly("ECS");
    }

    /// As where a script's variable is empty; the public command line takes it so.
    @Test
    void anEmptyFilterIsNone() {
        api.answer(ListDeploymentsRequest.class, ListDeploymentsResponse.getDefaultInstance());

        pipectl(server, "application", "list", "--app-kind=", "--label=", "--app-name=");
        pipectl(server, "deployment", "list", "--status=", "--app-id=", "--app-kind=", "--label=");

        assertThat(api.requests())
                .containsExactly(
                        ListApplicationsRequest.newBuilder().setLimit(10).build(),
                        ListDeploymentsRequest.newBuilder().setLimit(30).build());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "deployment wait-status --deployment-id=d --status=|--status: empty (expected: what to wait for, such as SUCCESS)",
                "deliver --app-id=|--app-id: empty (expected: the ids of applications)",
                "deliver --app-id=,a --event=e --data=d|--app-id: empty (expected: the ids of applications)",
                "deliver --app-id=a --data=d|--data: without --event (expected: both; --event names the event that is registered)",
                "deliver --app-id=a --labels=a=b|--labels: without --event (expected: both; --event names the event that is registered)",
                "application add --app-name=n --app-kind= --piped-id=p --platform-provider=q --repo-id=r --app-dir=d|--app-kind: empty (expected: the application's kind)"
            })
    void whatMustNotBeEmptyOrStandAloneIsACallingMistake(String call, String told) {
        var run = pipectl(server, call.split(" "));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: " + told + "\n");
        assertThat(api.requests()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "T, 0", "true, 0", "yes, 2"})
    void theEnvironmentSwitchesTlsOffAsTheFlagDoes(String text, int code) {
        var run =
                new Surroundings()
                        .with("PIPECTL_INSECURE", text)
                        .with("PIPECTL_ADDRESS", server.address())
                        .with("PIPECTL_API_KEY", "k1.secret")
                        .pipectl("application", "list");

        assertThat(run.code()).as(run.err()).isEqualTo(code);
        if (code == 2)
            assertThat(run.err())
                    .startsWith("Error: PIPECTL_INSECURE: yes (expected: true or false)\n");
    }

    @Test
    void aLabelWithoutValueIsACallingMistake() {
        var run = pipectl(server, "application", "list", "--label", "env");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("Error: --label: env (expected: KEY:VALUE)\n");
    }

    @ParameterizedTest
    @CsvSource({"15s, 15000", "5m, 300000", "1h30m, 5400000", "1.5s, 1500", "300ms, 300"})
    void durationsAreReadAsGoWritesThem(String text, long millis) {
        assertThat(new LengthOfTime().convert(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "15", "0s", "-1s", "5 m", "1d", "m"})
    void whatIsNoDurationIsACallingMistake(String text) {
        var run = pipectl(server, "application", "sync", "--app-id", "a", "--timeout=" + text);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("'" + text + "' is not a length of time such as 15s, 5m or 1h30m");
    }
}
