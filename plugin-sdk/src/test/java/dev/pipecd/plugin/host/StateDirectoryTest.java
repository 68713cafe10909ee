// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugin.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The folders of stages, and the disk they are brought to.
class StateDirectoryTest {
    private static final StageKey KEY = new StageKey("deployment-1", "stage-1");

    private static final Instant WEEKS_LATER = Instant.EPOCH.plus(Duration.ofDays(30));

    @TempDir Path home;

    @Test
    void foldersThatWereThereAreBroughtToTheDiskToo() throws Exception {
        var root = home.resolve("own");
        Files.createDirectories(root.resolve("deployment-1+stage-1"));
        var synced = new ArrayList<Path>();

        var first = new StateDirectory(root, synced::add).create(KEY);

        assertThat(first).isFalse();
        assertThat(synced).containsExactly(home, root);
    }

    @Test
    void foldersThatWereNotThereAreMadeAndBroughtToTheDisk() {
        var root = home.resolve("state/own");
        var synced = new ArrayList<Path>();

        var first = new StateDirectory(root, synced::add).create(KEY);

        assertThat(first).isTrue();
        assertThat(root.resolve("deployment-1+stage-1")).isDirectory();
        assertThat(synced).containsExactly(home, home.resolve("state"), root);
    }

    @Test
    void aStageThatIsCalledAgainHasNotEnded() throws Exception {
        var root = home.resolve("own");
        var state = new StateDirectory(root, _ -> {});
        state.create(KEY);
        state.ended(KEY, Instant.EPOCH);
        assertThat(state.outlived(WEEKS_LATER))
                .containsExactly(root.resolve("deployment-1+stage-1"));

        state.create(KEY);

        assertThat(state.outlived(WEEKS_LATER)).isEmpty();
    }
}
