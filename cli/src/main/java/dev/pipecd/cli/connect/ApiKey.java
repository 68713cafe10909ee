// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.connect;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// The key pipectl presents, and where it came from: errors name the source, never the key.
public record ApiKey(String secret, String source) {
    private static final Pattern SENDABLE = Pattern.compile("[\\x21-\\x7e]+");
    private static final int LONGEST = 4_096;

    public ApiKey {
        if (!SENDABLE.matcher(secret).matches() || secret.length() > LONGEST)
            throw new Problem(
                    Code.SETTING_INVALID,
                    "API key: what %s holds (expected: one key, in one line, without blanks)"
                            .formatted(source),
                    "Put just the key into the file, as it was shown when it was made.");
    }

    public static ApiKey given(String key) {
        return new ApiKey(key.strip(), "--api-key");
    }

    /// The setting is the flag or the variable that names the file.
    public static ApiKey in(Path file, String setting) {
        return new ApiKey(read(file, setting).strip(), setting + " " + file);
    }

    private static String read(Path file, String setting) {
        try {
            if (Files.size(file) > LONGEST) return "";
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: %s (expected: a file that exists)".formatted(setting, file),
                    "Correct the path, or give the key itself with --api-key.",
                    e);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "%s: %s (expected: a text file that can be read)".formatted(setting, file),
                    FileTrouble.advice(e),
                    e);
        }
    }

    @Override
    public String toString() {
        return "API key of " + source;
    }
}
