// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.agent.plugin.tool;

import dev.pipecd.domain.Problem;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A plugin's recipe for a tool: shell, with a few blanks in double braces.
record InstallScript(String text) {
    private static final Pattern BLANK = Pattern.compile("\\{\\{(.*?)}}", Pattern.DOTALL);
    private static final Pattern HARMLESS = Pattern.compile("[A-Za-z0-9/._+-]*");

    /// @param out where the tool must be afterwards
    /// @param work an empty folder to work in
    String filled(String name, String version, Path out, Path work) {
        var values =
                new TreeMap<>(
                        Map.of(
                                ".Name",
                                name,
                                ".Version",
                                version,
                                ".OutPath",
                                word(out),
                                ".TmpDir",
                                word(work),
                                ".Os",
                                dev.pipecd.agent.plugin.fetch.Platform.os(),
                                ".Arch",
                                dev.pipecd.agent.plugin.fetch.Platform.architecture()));
        return BLANK.matcher(text)
                .replaceAll(blank -> {
                    var value = values.get(blank.group(1).strip());
                    if (value != null) return Matcher.quoteReplacement(value);
                    throw new Problem(
                            Problem.Code.REQUEST_INVALID,
                            "install_script: {{%s}} (expected: one of %s)"
                                    .formatted(blank.group(1), values.keySet()),
                            "This is a fault of the plugin: tell its author.");
                });
    }

    /// The scripts of public plugins do not quote: a folder with a blank in its name must stay one
    /// word.
    private static String word(Path path) {
        var text = path.toString();
        return HARMLESS.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
