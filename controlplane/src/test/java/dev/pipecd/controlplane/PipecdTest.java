// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pipecd.config.launch.GoFlags;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ResourceLock("logging") // its commands set it up anew
final class PipecdTest {
    private static final String[] NEEDED = {"--config-file=c.yaml", "--encryption-key-file", "key"};

    private static final String VALID =
            """
            apiVersion: pipecd.dev/v1beta1
            kind: ControlPlane
            spec:
              address: http://localhost:8080
            """;

    @TempDir Path folder;

    @Test
    void theVersionIsTold() {
        assertThat(run("version").code()).isZero();
        assertThat(run("version").out()).matches("(?s)v\\d+\\.\\d+\\.\\d+.*\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--no-such-flag",
                "--tls=perhaps",
                "--grace-period=30",
                "--gateway-port=x",
                "--log-encoding=xml",
                "--log-level=loud",
                "stray"
            })
    void aWrongCommandLineFailsAndTellsWhereToReadOn(String flag) {
        var ran = run("server", NEEDED[0], NEEDED[1], NEEDED[2], flag);

        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.err()).endsWith("See `pipecd server --help`.\n").hasLineCount(2);
    }

    @Test
    void aMistypedFlagIsNamedBeforeTheOneThatIsMissingForIt() {
        var ran = run("server", "--config-fil=x", NEEDED[1], NEEDED[2]);

        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.err())
                .startsWith("Unknown option: '--config-fil' (did you mean '--config-file'?)\n")
                .contains("\nMissing required option: '--config-file=");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cache-adress=redis://:hunter2@h:1",
                "--cache-adress redis://:hunter2@h:1",
                "--tls redis://:hunter2@h:1"
            })
    void whatWasGivenToAFlagIsNotPrintedBack(String flag) {
        var ran = run(("server --config-file=c --encryption-key-file=k " + flag).split(" "));

        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.out() + ran.err()).contains("--").doesNotContain("hunter2");
    }

    @Test
    void theTwoFilesMustBeNamed() {
        var ran = run("server");

        assertThat(ran.code()).isEqualTo(2);
        assertThat(ran.err())
                .contains("Missing required options", "--config-file", "--encryption-key-file");
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        assertThat(run().code()).isEqualTo(2);
        assertThat(run().err())
                .contains("Name a command: server, ops, check-config, doctor or version.");
    }

    @Test
    void theDefaultsAreThePublicOnes() {
        var server = parsed();

        assertThat(server.ports.pipedApi).isEqualTo(9080);
        assertThat(server.ports.webApi).isEqualTo(9081);
        assertThat(server.ports.http).isEqualTo(9082);
        assertThat(server.ports.api).isEqualTo(9083);
        assertThat(server.ports.admin).isEqualTo(9085);
        assertThat(server.ports.envoyAuthz).isEqualTo(9086);
        assertThat(server.ports.gateway).isEqualTo(9090);
        assertThat(server.serving.gracePeriod).isEqualTo(Duration.ofSeconds(30));
        assertThat(server.common.metrics()).isTrue();
        assertThat(server.serving.tls).isFalse();
        assertThat(server.serving.insecureCookie).isFalse();
    }

    @Test
    void theGatewayIsAskedForWhenItIsGivenOrAnotherPortIsClosed() {
        assertThat(parsed().ports.numbers().gateway())
                .isEqualTo(new ServerOptions.Gateway(9090, false));
        assertThat(parsed("--gateway-port=9090").ports.numbers().gateway().asked()).isTrue();
        assertThat(parsed("--piped-api-port=-1").ports.numbers().gateway().asked()).isTrue();
    }

    /// The work directory may hold keys.
    @Test
    void anEmptyStaticDirIsNoFolder() {
        assertThat(parsed("--static-dir=").serving.webApplication()).isEmpty();
        assertThat(parsed("--static-dir=web/dist").serving.webApplication())
                .hasValue(Path.of("web/dist"));
    }

    @Test
    void flagsAreReadAsGoReadsThem() {
        var server =
                parsed(
                        "--metrics=false",
                        "--insecure-cookie",
                        "--tls=1",
                        "--grace-period",
                        "1m30s",
                        "--piped-api-port=-1",
                        "--gateway-port",
                        "0",
                        "--cache-address=redis:6379",
                        "--profile",
                        "--log-encoding=json");

        assertThat(server.common.metrics()).isFalse();
        assertThat(server.serving.insecureCookie).isTrue();
        assertThat(server.serving.tls).isTrue();
        assertThat(server.serving.gracePeriod).isEqualTo(Duration.ofSeconds(90));
        assertThat(server.ports.pipedApi).isEqualTo(-1);
        assertThat(server.ports.gateway).isZero();
        assertThat(server.cacheAddress).isEqualTo("redis:6379");
    }

    /// The flags of the public programs, with what each means when it is not given.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    server ops | --log-level                  | info
                    server ops | --log-encoding               | humanize
                    server ops | --metrics                    | true
                    server ops | --profile                    | false
                    server ops | --profile-debug-logging      | false
                    server ops | --profiler-credentials-file  | ''
                    version    | --log-level                  | info
                    server     | --piped-api-port             | 9080
                    server     | --web-api-port               | 9081
                    server ops | --http-port                  | 9082
                    server     | --api-port                   | 9083
                    server ops | --admin-port                 | 9085
                    server     | --envoy-authz-port           | 9086
                    server     | --static-dir                 |
                    server ops | --cache-address              | ''
                    server     | --grace-period               | 30s
                    ops        | --grace-period               | 15s
                    server     | --tls                        | false
                    server     | --cert-file                  | ''
                    server     | --key-file                   | ''
                    server     | --insecure-cookie            | false
                    server     | --encryption-key-file        |
                    server ops | --config-file                |
                    server     | --enable-grpc-reflection     | false
                    ops        | --gcloud-path                | ''
                    """)
    void everyPublicFlagIsKnown(String commands, String flag, @Nullable String otherwise) {
        for (var command : commands.split(" ")) {
            var option =
                    Objects.requireNonNull(Pipecd.commandLine().getSubcommands().get(command))
                            .getCommandSpec()
                            .findOption(flag);
            assertThat(Objects.requireNonNull(option, flag).defaultValue()).isEqualTo(otherwise);
        }
    }

    @Test
    void theLastOfAFlagThatIsGivenTwiceCounts() {
        var server = parsed("--admin-port=1", "--admin-port", "2", "--tls", "--tls=false");

        assertThat(server.ports.admin).isEqualTo(2);
        assertThat(server.serving.tls).isFalse();
    }

    @Test
    void aValueThatBeginsWithAnAtSignIsAValue() {
        assertThat(parsed("--cache-address", "@here").cacheAddress).isEqualTo("@here");
    }

    @Test
    void flagsMayStandBeforeTheCommand() {
        assertThat(run("--log-level", "DEBUG", "--metrics", "version").code()).isZero();
        assertThat(run("--no-such-flag", "version").code()).isEqualTo(2);
    }

    /// Who is about to switch gives `doctor` the flags of the server that runs.
    @Test
    void theDoctorTakesEveryFlagOfTheServer() {
        assertThat(flagsOf("doctor")).containsAll(flagsOf("server"));
    }

    private static Set<String> flagsOf(String command) {
        var parsed = Pipecd.commandLine().getSubcommands().get(command);
        return Objects.requireNonNull(parsed).getCommandSpec().optionsMap().keySet();
    }

    @Test
    void aConfigurationIsCheckedBeforeAServerIsStartedWithIt() throws IOException {
        var file = Files.writeString(folder.resolve("control-plane.yaml"), VALID);

        var ran = run("check-config", file.toString());

        assertThat(ran.out()).isEqualTo(file + ": valid\n");
        assertThat(ran.code()).isZero();
    }

    @Test
    void aConfigurationThatIsCutShortIsNotValid() throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID.substring(0, VALID.indexOf("  address")));

        var ran = run("--log-level=debug", "check-config", file.toString());

        assertThat(ran.out())
                .contains("spec: missing (expected: an object; is the file cut short?")
                .endsWith(": 1 mistake(s)\n");
        assertThat(ran.code()).isEqualTo(1);
    }

    @Test
    void everyMistakeOfAConfigurationIsToldAtOnce() throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID.replace("address:", "adress:") + "  projects: 3\n");

        var ran = run("check-config", file.toString());

        assertThat(ran.out())
                .contains("adress")
                .contains("address")
                .contains("spec.projects")
                .endsWith(": 2 mistake(s)\n");
        assertThat(ran.code()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "root:hidden@udp(db:3306)/x, datastore.config.url: malformed (expected: user:password@tcp(host:3306))",
        "root:hidden@tcp(db)/x?timeout=%zz, datastore.config.url: malformed (expected: user:password@tcp(host:3306))",
        "root:hidden@tcp(db)/x?tls=maybe, 'datastore.config.url: tls=maybe (expected: one of true, skip-verify, preferred, false)'",
    })
    void whatOnlyThoseWhoUseItCanReadIsToldBesideEveryOtherMistake(String url, String told)
            throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID.replace("address:", "adress:")
                                + "  datastore: {type: MYSQL, config: {url: \"%s\"}}\n"
                                        .formatted(url)
                                + "  filestore: {type: MINIO, config: {endpoint: \"http://\", bucket: b}}\n"
                                + "  cache: {address: \"http://:hidden@redis\"}\n");

        var ran = run("check-config", file.toString());

        assertThat(ran.out())
                .contains("adress")
                .contains(file + ": " + told)
                .contains(file + ": filestore.config.endpoint: \"http://\" (expected: a URL")
                .contains(file + ": cache address: not understood")
                .doesNotContain("hidden")
                .endsWith(": 4 mistake(s)\n");
        assertThat(ran.code()).isEqualTo(1);
    }

    @Test
    void whatStandsOnAnotherMachineIsNotLookedAt() throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID
                                + "  datastore: {type: MYSQL, config: {url: env:NO_SUCH_URL, database: d}}\n"
                                + "  cache: {address: file:/no/such/file}\n");

        assertThat(run("check-config", file.toString()).out()).isEqualTo(file + ": valid\n");
    }

    /// Without it people look for the region in a file where it stands.
    @Test
    void theWarningThatNamesTheCauseOfAMistakeIsToldBesideIt() throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID + "  filestore: {type: S3, confg: {bucket: b, region: r}}\n");

        var ran = run("check-config", file.toString());

        assertThat(ran.out())
                .contains("spec.filestore.config.region: missing")
                .contains("warning: ", "did you mean \"config\"?")
                .endsWith(": 2 mistake(s)\n");
    }

    /// The file of step 4 of a public guide, whose `staticAdmin` is indented too far.
    @Test
    void whatIsNoYamlIsToldWithItsPlace() throws IOException {
        var file =
                Files.writeString(
                        folder.resolve("control-plane.yaml"),
                        VALID + "  projects:\n    - id: quickstart\n        staticAdmin:\n");

        var ran = run("check-config", file.toString());

        assertThat(ran.out()).contains(file + ":7:").endsWith(": 1 mistake(s)\n");
        assertThat(ran.code()).isEqualTo(1);
    }

    @Test
    void aConfigurationThatCannotBeReadSaysWhatToDo() {
        var ran = run("check-config", "env:PIPECD_NO_SUCH_VARIABLE");

        assertThat(ran.out())
                .contains(
                        "FILE: env:PIPECD_NO_SUCH_VARIABLE (expected: an environment variable that is set)");
        assertThat(ran.code()).isEqualTo(1);
    }

    @Test
    void aWordAfterASwitchIsNotItsValue() {
        assertThat(run("server", NEEDED[0], NEEDED[1], NEEDED[2], "--tls", "false").code())
                .isEqualTo(2);
    }

    private static ServerCommand parsed(String... flags) {
        var line = Pipecd.commandLine();
        var args = new java.util.ArrayList<String>();
        args.add("server");
        args.addAll(java.util.List.of(NEEDED));
        args.addAll(java.util.List.of(flags));
        var parsed = line.parseArgs(GoFlags.plain(line, args.toArray(String[]::new)));
        return (ServerCommand) parsed.subcommand().commandSpec().userObject();
    }

    private static Ran run(String... args) {
        var out = new StringWriter();
        var err = new StringWriter();
        var line =
                Pipecd.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true));
        return new Ran(
                GoFlags.run(line, Pipecd.commandFirst(args)), out.toString(), err.toString());
    }

    private record Ran(int code, String out, String err) {}
}
