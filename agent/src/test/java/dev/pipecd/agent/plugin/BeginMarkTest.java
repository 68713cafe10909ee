// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.domain.Problem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BeginMarkTest {
    @TempDir Path folder;

    @Test
    void aStageThatAnEarlierLifeOfTheAgentBeganIsNotBegunTwice() {
        var file = folder.resolve("begun");
        new BeginMark(file).make("SCRIPT_RUN", "scripts");

        assertThatThrownBy(() -> new BeginMark(file).make("SCRIPT_RUN", "scripts"))
                .isInstanceOfSatisfying(
                        Problem.class,
                        problem ->
                                assertThat(problem.told())
                                        .isEqualTo(
                                                "outcome: not known, because the agent or its plugin ended while it ran (expected: a plugin"
                                                        + " that carries on). It is not run twice. See what it left and sync again, or let"
                                                        + " `builtin:scriptrun` take the place of plugin scripts: its scripts live on and are"
                                                        + " taken up."));
    }

    @Test
    void aMarkThatCannotBeMadeKeepsTheStageFromBeginning() throws Exception {
        var file = Files.createFile(folder.resolve("no-folder")).resolve("begun");

        assertThatThrownBy(() -> new BeginMark(file).make("SCRIPT_RUN", "scripts"))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("stage: SCRIPT_RUN is not begun: ");
    }

    @Test
    void onlyScriptsOfPluginsOfOthersNeedOne() {
        assertThat(BeginMark.isNeeded("SCRIPT_RUN", false)).isTrue();
        assertThat(BeginMark.isNeeded("SCRIPT_RUN_ROLLBACK", false)).isTrue();
        assertThat(BeginMark.isNeeded("SCRIPT_RUN", true)).isFalse();
        assertThat(BeginMark.isNeeded("WAIT", false)).isFalse();
    }
}
