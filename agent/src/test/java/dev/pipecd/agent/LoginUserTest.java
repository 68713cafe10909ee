// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoginUserTest {
    @TempDir Path home;

    @Test
    void theUserTheAgentRunsAsIsAddedOnceBehindTheOthers() throws Exception {
        var passwd = Files.writeString(home.resolve("passwd"), "root:x:0:0:root:/root:/bin/sh");

        LoginUser.add(Map.of("HOME", home.toString()));
        LoginUser.add(Map.of("HOME", home.toString()));

        assertThat(Files.readAllLines(passwd))
                .containsExactly(
                        "root:x:0:0:root:/root:/bin/sh",
                        "default:x:%s:%s:Dynamically created user:%s:/sbin/nologin"
                                .formatted(
                                        Files.getAttribute(home, "unix:uid"),
                                        Files.getAttribute(home, "unix:gid"),
                                        home));
    }

    @Test
    void aHomeThatCannotBeWrittenIsTold() {
        var nowhere = home.resolve("nowhere");

        assertThatThrownBy(() -> LoginUser.add(Map.of("HOME", nowhere.toString())))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "--add-login-user-to-passwd: java.nio.file.NoSuchFileException: %s/passwd (expected: $HOME/passwd that the agent can write)"
                                .formatted(nowhere));
    }

    @Test
    void withoutAHomeNothingIsWrittenWhereTheAgentHappensToStand() {
        assertThatThrownBy(() -> LoginUser.add(Map.of()))
                .isInstanceOf(Problem.class)
                .hasMessage(
                        "--add-login-user-to-passwd: HOME is not set (expected: $HOME/passwd that the agent can write)");
        assertThat(Path.of("passwd")).doesNotExist();
    }
}
