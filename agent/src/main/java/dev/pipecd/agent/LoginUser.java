// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import dev.pipecd.domain.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/// Names the user the agent runs as where the platform made up a number (OpenShift): without a name
/// ssh and git refuse to work. A library that is loaded before them (nss_wrapper) reads it.
final class LoginUser {
    private LoginUser() {}

    /// A start that finds itself there already adds nothing.
    static void add(Map<String, String> environment) {
        var home = environment.getOrDefault("HOME", "");
        if (home.isEmpty()) throw refused("HOME is not set");
        var file = Path.of(home, "passwd");
        try {
            var self = Path.of("/proc/self");
            var entry =
                    "default:x:%s:%s:Dynamically created user:%s:/sbin/nologin"
                            .formatted(
                                    Files.getAttribute(self, "unix:uid"),
                                    Files.getAttribute(self, "unix:gid"),
                                    home);
            var written = Files.exists(file) ? Files.readString(file) : "";
            if (written.lines().anyMatch(entry::equals)) return;
            var before = written.isEmpty() || written.endsWith("\n") ? "" : "\n";
            Files.writeString(
                    file,
                    before + entry + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException | UnsupportedOperationException e) {
            throw refused(e.toString());
        }
    }

    private static Problem refused(String why) {
        return new Problem(
                Problem.Code.SETTING_INVALID,
                "--add-login-user-to-passwd: %s (expected: $HOME/passwd that the agent can write)"
                        .formatted(why),
                "Let HOME name a folder the agent can write, or leave the flag out.");
    }
}
