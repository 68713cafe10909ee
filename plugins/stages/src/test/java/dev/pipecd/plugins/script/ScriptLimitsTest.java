// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.testkit.TestRun;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Scripts and variables as long as the kernel takes them, and longer.
final class ScriptLimitsTest {
    @TempDir Path home;

    @Test
    void aVariableRunsAsLongAsItsNameFitsWithIt() throws Exception {
        assertThat(run("[ ${#BIG} = 131067 ]", "x".repeat(131_067)).run())
                .isEqualTo(new StageOutcome.Succeeded());
        assertThatThrownBy(() -> run("true", "x".repeat(131_068)))
                .hasMessage("env.BIG: 131068 bytes (expected: at most 131067)");
    }

    @Test
    void aScriptRunsAsLongAsItIsOneArgument() throws Exception {
        assertThat(run("true #" + "x".repeat(131_065), "").run())
                .isEqualTo(new StageOutcome.Succeeded());
        assertThatThrownBy(() -> run("true #" + "x".repeat(131_066), ""))
                .hasMessage("run: 131072 bytes (expected: at most 131071)");
    }

    private TestRun<ScriptStage.Options> run(String script, String big) {
        return TestRun.of(
                ScriptStage.stage(),
                "{\"run\": \"%s\", \"env\": {\"BIG\": \"%s\"}}".formatted(script, big),
                home);
    }

    @Test
    void aVariableThatTheSystemDoesNotTakeIsNamed() throws Exception {
        var much = Map.of("MUCH", "x".repeat(200 * 1024), "LITTLE", "x");

        assertThat(started(much)).isEqualTo(tooMuch("204813 bytes, 204805 of them MUCH"));
    }

    @Test
    void variablesThatAreTooManyTogetherAreTold() throws Exception {
        var many = new HashMap<String, String>();
        for (var n = 100; n < 200; n++) many.put("MANY" + n, "x".repeat(100_000));
        many.put("MOST", "x".repeat(100_010));

        assertThat(started(many)).isEqualTo(tooMuch("10100815 bytes, 100015 of them MOST"));
    }

    private StageOutcome started(Map<String, String> environment) throws Exception {
        var run = TestRun.of(ScriptStage.stage(), "{\"run\": \"true\"}", home);
        return new Script("true", environment, home).follow(run);
    }

    private static StageOutcome tooMuch(String bytes) {
        return new StageOutcome.Failed(
                "script: its variables have %s (expected: less than 128 KiB each, and all with those of the plugin host no more than `getconf ARG_MAX` says). Shorten `env` or the application's labels, or let the script read a file, then deploy again."
                        .formatted(bytes));
    }

    @Test
    void aProgramThatIsNotThereIsTold() {
        var told =
                CannotStart.of(
                                new Script("true", Map.of(), home),
                                new java.io.IOException("Cannot run program \"setsid\": error: 2"))
                        .told();

        assertThat(told)
                .isEqualTo(
                        "script: Cannot run program \"setsid\": error: 2 (expected: `setsid` on the PATH of the plugin host, and room for one more process). Mend what it names, then deploy again.");
    }
}
