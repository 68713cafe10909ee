// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StageRun;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// CUSTOM_SYNC of the old form: people's own commands in the place of a platform's sync.
/// CUSTOM_SYNC_ROLLBACK gets the options of the commit that runs now and runs them in its files.
final class CustomSyncStage {
    private CustomSyncStage() {}

    /// @param env what many wrote, after an example that did; `envs` wins
    record Options(
            String run,
            @Otherwise("{}") Map<String, String> envs,
            @Otherwise("{}") Map<String, String> env) {
        Options {
            envs = Map.copyOf(envs);
            env = Map.copyOf(env);
            ScriptStage.requireCommands(run);
            ScriptStage.requireVariables("envs", envs);
            ScriptStage.requireVariables("env", env);
        }

        Script script(Path directory) {
            var variables = new LinkedHashMap<>(env);
            variables.putAll(envs);
            return new Script(run, variables, directory);
        }
    }

    static Stage<Options> stage() {
        return Stage.of("CUSTOM_SYNC", Options.class, CustomSyncStage::run)
                .undoneBy(rollback(), _ -> true)
                .reading(Reads.TARGET);
    }

    private static Stage<Options> rollback() {
        return Stage.of("CUSTOM_SYNC_ROLLBACK", Options.class, CustomSyncStage::undo);
    }

    private static StageOutcome run(StageRun<Options> run) throws InterruptedException {
        return run.options().script(run.applicationDirectory()).follow(run);
    }

    private static StageOutcome undo(StageRun<Options> run) throws InterruptedException {
        var before = run.runningApplicationDirectory();
        if (before.isEmpty())
            return new StageOutcome.Failed(
                    "the files of the commit that runs now are not to be had");
        return run.options().script(before.get()).follow(run);
    }
}
