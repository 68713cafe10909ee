// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.config.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class HomeTest {
    private final Home home = new Home(Map.of("HOME", "/var/lib/piped"));

    @Test
    void itIsWhatTheVariableSaysWhoeverTheUserIs() {
        assertThat(home.resolve(Path.of("~/.piped/data")))
                .isEqualTo(Path.of("/var/lib/piped/.piped/data"));
        assertThat(home.resolve(Path.of("~"))).isEqualTo(Path.of("/var/lib/piped"));
    }

    @Test
    void itIsPutInAsAShellDoes() {
        assertThat(home.resolve(Path.of("$HOME/tools"))).isEqualTo(Path.of("/var/lib/piped/tools"));
        assertThat(home.resolve(Path.of("${HOME}/tools")))
                .isEqualTo(Path.of("/var/lib/piped/tools"));
    }

    @Test
    void otherFoldersAreLeftAsTheyAre() {
        for (var other : new String[] {"/srv/~", "/", "data", "", "~ann/data", "a/~/b", "$HOMES/a"})
            assertThat(home.resolve(Path.of(other))).isEqualTo(Path.of(other));
    }

    @Test
    void withoutTheVariableTheSystemIsAsked() {
        var asked = Path.of(System.getProperty("user.home"), "data");

        assertThat(new Home(Map.of()).resolve(Path.of("~/data"))).isEqualTo(asked);
        assertThat(new Home(Map.of("HOME", "")).resolve(Path.of("~/data"))).isEqualTo(asked);
    }
}
