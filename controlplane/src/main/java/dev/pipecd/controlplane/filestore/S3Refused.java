// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane.filestore;

import dev.pipecd.domain.Problem;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/// The S3 server said no, or we could not even ask because nobody says who we are.
final class S3Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST = 300;

    private final String what;
    private final String code;
    private final String said;
    private final int status;

    S3Refused(String what, AwsServiceException e) {
        super(e);
        this.what = what;
        var details = Optional.ofNullable(e.awsErrorDetails());
        this.code = details.map(d -> part(d, d.errorCode(), "Code")).orElse("");
        this.said = details.map(d -> part(d, d.errorMessage(), "Message")).orElse("");
        this.status = e.statusCode();
    }

    /// Not every server answers in the form the library knows; the text has it all the same.
    private static String part(AwsErrorDetails details, @Nullable String known, String name) {
        if (known != null) return known;
        if (details.rawResponse() == null) return "";
        var text =
                Pattern.compile("<%1$s>([^<]*)</%1$s>".formatted(name))
                        .matcher(details.rawResponse().asUtf8String());
        return text.find() ? text.group(1) : "";
    }

    /// What the library says then names every place it looked at, in twenty lines.
    static boolean lacksCredentials(Exception e) {
        return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("credentials");
    }

    static Problem withoutCredentials(String server, Exception e) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "file store: no credentials for %s (expected: a key or a role)".formatted(server),
                "Check profile, credentialsFile, roleARN and tokenFile of filestore.config, or give"
                        + " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to this process; it says: "
                        + cut(String.valueOf(e.getMessage())),
                e);
    }

    String code() {
        return code;
    }

    int status() {
        return status;
    }

    Problem problem() {
        return new Problem(
                Problem.Code.STORE_UNAVAILABLE,
                "file store: %s is refused with %s"
                        .formatted(what, code.isEmpty() ? "status " + status : code),
                advice(),
                this);
    }

    private String advice() {
        return switch (code) {
            case "NoSuchBucket" -> "Create the bucket, or correct filestore.config.bucket.";
            case "InvalidBucketName" -> "Correct filestore.config.bucket.";
            case "AccessDenied" ->
                    "Allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket to the"
                            + " credentials of the file store.";
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken" ->
                    "Check the credentials of the file store, and the clock of this machine.";
            default ->
                    said.isEmpty()
                            ? "Look at the file store, and at filestore.config."
                            : "Look at the file store, and at filestore.config; it says: "
                                    + cut(said);
        };
    }

    private static String cut(String text) {
        var line = text.replaceAll("\\s+", " ").strip();
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }
}
