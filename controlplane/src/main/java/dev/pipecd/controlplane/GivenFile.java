// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.controlplane;

import dev.pipecd.config.Unreadable;
import dev.pipecd.controlplane.filestore.S3Document;
import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Pattern;

/// A file named on the command line: a path, `env:NAME` for the content of an environment variable,
/// or `s3://bucket/key`, so that a container needs no shell to put it on a disk.
///
/// @param flag the flag that names it, for error texts
/// @param environment of this process
record GivenFile(String flag, String place, Map<String, String> environment) {
    private static final String VARIABLE = "env:";
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/\\s]+={0,2}\\s*");

    GivenFile(String flag, String place) {
        this(flag, place, System.getenv());
    }

    byte[] bytes() {
        return place.startsWith(VARIABLE)
                ? variable().getBytes(StandardCharsets.UTF_8)
                : elsewhere();
    }

    /// The text of a document. A variable may hold its Base64 form, in which secret stores like to
    /// keep files; no document we read looks like that.
    byte[] document() {
        if (!place.startsWith(VARIABLE)) return elsewhere();
        var value = variable();
        return BASE64.matcher(value).matches()
                ? decoded(value)
                : value.getBytes(StandardCharsets.UTF_8);
    }

    private String variable() {
        var value = environment.getOrDefault(place.substring(VARIABLE.length()), "");
        if (value.isBlank())
            throw unusable(
                    "an environment variable that is set", "Set it where this process starts.");
        return value;
    }

    private static byte[] decoded(String value) {
        try {
            return Base64.getDecoder().decode(value.replaceAll("\\s", ""));
        } catch (IllegalArgumentException _) {
            return value.getBytes(StandardCharsets.UTF_8);
        }
    }

    private byte[] elsewhere() {
        return place.startsWith(S3Document.SCHEME)
                ? new S3Document(flag, place, environment).bytes()
                : onDisk();
    }

    private byte[] onDisk() {
        try {
            return Files.readAllBytes(Path.of(place));
        } catch (IOException | InvalidPathException e) {
            throw unusable(
                    "a file this process may read, env:NAME or s3://bucket/key",
                    "Check path, owner and mode: " + Unreadable.because(e));
        }
    }

    private Problem unusable(String expected, String advice) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "%s: %s (expected: %s)".formatted(flag, place, expected),
                advice);
    }
}
