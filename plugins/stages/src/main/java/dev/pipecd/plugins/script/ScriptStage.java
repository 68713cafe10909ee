// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import dev.pipecd.plugin.stage.Otherwise;
import dev.pipecd.plugin.stage.Reads;
import dev.pipecd.plugin.stage.Stage;
import dev.pipecd.plugin.stage.StageOutcome;
import dev.pipecd.plugin.stage.StagePlugin;
import dev.pipecd.plugin.stage.StageRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/// SCRIPT_RUN: runs people's own commands; SCRIPT_RUN_ROLLBACK: runs what undoes them, if they were
/// begun.
public final class ScriptStage {
    /// What the kernel takes as one argument, or as a variable with its name.
    private static final int LONGEST_SCRIPT = 128 * 1024 - 1;

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private ScriptStage() {}

    public record Options(
            String run,
            @Otherwise("{}") Map<String, String> env,
            @Otherwise("\"\"") String onRollback) {
        public Options {
            env = Map.copyOf(env);
            requireCommands(run);
            requireArgument("onRollback", onRollback);
            requireVariables("env", env);
        }
    }

    static void requireCommands(String run) {
        if (run.isBlank())
            throw new IllegalArgumentException("run: \"\" (expected: commands for /bin/sh)");
        requireArgument("run", run);
    }

    static void requireVariables(String option, Map<String, String> variables) {
        variables.forEach((name, value) -> {
            if (!VARIABLE.matcher(name).matches())
                throw new IllegalArgumentException(
                        "%s: \"%s\" (expected: a name of letters, digits and underscores)"
                                .formatted(option, name));
            requireArgument(option + "." + name, value, LONGEST_SCRIPT - (name + "=").length());
        });
    }

    private static void requireArgument(String name, String text) {
        requireArgument(name, text, LONGEST_SCRIPT);
    }

    private static void requireArgument(String name, String text, int longest) {
        var bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > longest)
            throw new IllegalArgumentException(
                    "%s: %d bytes (expected: at most %d)".formatted(name, bytes, longest));
        if (text.indexOf('\0') >= 0)
            throw new IllegalArgumentException(name + ": holds a NUL (expected: text)");
    }

    public static StagePlugin plugin() {
        return StagePlugin.named("scriptrun", stage(), CustomSyncStage.stage())
                .ending(ScriptStage::end);
    }

    private static void end(Path directory) throws InterruptedException {
        try {
            new RunDirectory(directory).stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Stage<Options> stage() {
        return Stage.of("SCRIPT_RUN", Options.class, ScriptStage::run)
                .undoneBy(rollback(), options -> !options.onRollback().isBlank())
                .reading(Reads.TARGET);
    }

    public static Stage<Options> rollback() {
        return Stage.of("SCRIPT_RUN_ROLLBACK", Options.class, ScriptStage::undo)
                .reading(Reads.TARGET);
    }

    static StageOutcome run(StageRun<Options> run) throws InterruptedException {
        // Written before anything begins: a rollback must not miss a script that did.
        run.putPluginMetadata(started(run), "true");
        return new Script(
                        run.options().run(),
                        ScriptEnvironment.of(run, false),
                        run.applicationDirectory())
                .follow(run);
    }

    static StageOutcome undo(StageRun<Options> run) throws InterruptedException {
        if (run.pluginMetadata(started(run)).isEmpty())
            return new StageOutcome.Skipped(
                    "the script of stage " + run.stage().index() + " was not begun");
        return new Script(
                        run.options().onRollback(),
                        ScriptEnvironment.of(run, true),
                        run.applicationDirectory())
                .follow(run);
    }

    private static String started(StageRun<Options> run) {
        return "started-" + run.stage().index();
    }
}
