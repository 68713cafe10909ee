// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.document;

import dev.pipecd.config.Loaded;
import dev.pipecd.config.PipedConfig;
import dev.pipecd.config.Unreadable;
import dev.pipecd.config.read.Documents;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;

/// Where the agent's configuration is kept; exactly one flag says it.
public final class ConfigFlags {
    private static final String GOOGLE = "https://secretmanager.googleapis.com";

    @Option(
            names = "--config-file",
            defaultValue = "",
            description = "The agent's configuration; exactly one flag says where it is.")
    String file = "";

    @Option(
            names = "--config-data",
            defaultValue = "",
            description = "The configuration itself, in base64.")
    String data = "";

    @Option(
            names = "--config-gcp-secret",
            defaultValue = "",
            description =
                    "A version of a secret in Google Secret Manager that holds it itself: projects/…/secrets/…/versions/…")
    String gcpSecret = "";

    @Option(
            names = "--config-aws-secret",
            defaultValue = "",
            description = "A secret in AWS Secrets Manager that holds it in base64.")
    String awsSecret = "";

    @Option(
            names = "--config-aws-ssm-parameter",
            defaultValue = "",
            description = "A parameter in AWS Systems Manager that holds it in base64.")
    String awsParameter = "";

    public Loaded<PipedConfig> load(Map<String, String> environment, InstantSource clock)
            throws InterruptedException {
        var given =
                Stream.of(file, data, gcpSecret, awsSecret, awsParameter)
                        .filter(flag -> !flag.isEmpty())
                        .count();
        if (given != 1)
            throw invalid(
                    "--config-file, --config-data, --config-gcp-secret, --config-aws-secret, --config-aws-ssm-parameter: %d given (expected: exactly one)"
                            .formatted(given),
                    "Name the configuration, for example --config-file=piped.yaml.");
        if (!file.isEmpty()) return Documents.piped(file, inFile());
        if (!data.isEmpty())
            return Documents.piped("--config-data", decoded("--config-data", data));
        try (var asking = new Asking(environment)) {
            return gcpSecret.isEmpty()
                    ? fromAws(asking, environment)
                    : Documents.piped(
                            gcpSecret,
                            new GoogleSecrets(
                                            asking,
                                            new GoogleAccount(asking, environment, clock),
                                            GOOGLE)
                                    .version(gcpSecret));
        }
    }

    /// Also from a pipe, as the shell makes one of `<(…)`.
    private byte[] inFile() {
        try {
            var path = Path.of(file);
            if (Files.isReadable(path) && !Files.isDirectory(path)) return Files.readAllBytes(path);
            throw unreadable(file);
        } catch (IOException e) {
            throw unreadable("%s: %s".formatted(file, Unreadable.because(e)));
        }
    }

    private static Problem unreadable(String what) {
        return invalid(
                "--config-file: %s (expected: a readable file)".formatted(what),
                "Correct the path or the file's permissions.");
    }

    private Loaded<PipedConfig> fromAws(Asking asking, Map<String, String> environment)
            throws InterruptedException {
        try (var credentials = DefaultCredentialsProvider.builder().build()) {
            var aws = new AwsSecrets(asking, credentials, environment);
            return awsSecret.isEmpty()
                    ? Documents.piped(
                            awsParameter, decoded(awsParameter, aws.parameter(awsParameter)))
                    : Documents.piped(awsSecret, decoded(awsSecret, aws.secret(awsSecret)));
        }
    }

    private static byte[] decoded(String origin, String text) {
        try {
            // Line breaks are what `base64` writes after each 76 characters.
            return Base64.getDecoder().decode(text.replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            // Without the cause: its text would quote what may be secret.
            throw invalid(
                    "%s: ****** (expected: Base64)".formatted(origin),
                    "Encode it, for example with `base64 -w0`.");
        }
    }

    private static Problem invalid(String message, String advice) {
        return new Problem(Problem.Code.SETTING_INVALID, message, advice);
    }
}
