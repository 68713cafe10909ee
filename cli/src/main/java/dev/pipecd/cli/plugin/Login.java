// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.cli.plugin;

import dev.pipecd.cli.show.FileTrouble;
import dev.pipecd.domain.Problem;
import dev.pipecd.domain.Problem.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/// Who pushes. The basic credentials are empty for nobody.
record Login(String basic, String source) {
    static final Login NOBODY = new Login("", "no user");

    static Login withPasswordIn(String user, Path file) {
        try {
            var both = user + ":" + Files.readString(file).strip();
            return new Login(
                    Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)),
                    "--username " + user);
        } catch (IOException e) {
            throw new Problem(
                    Code.SETTING_INVALID,
                    "--password-file: %s (expected: a text file that can be read)".formatted(file),
                    FileTrouble.advice(e),
                    e);
        }
    }

    boolean isNobody() {
        return basic.isEmpty();
    }

    @Override
    public String toString() {
        return source;
    }
}
