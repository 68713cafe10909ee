// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.Map;

/// The process of a script could not be made; the state directory is not at fault.
final class CannotStart extends IOException {
    private static final long serialVersionUID = 1;

    /// The kernel's E2BIG.
    private static final String TOO_MUCH = "error: 7";

    private final String told;

    private CannotStart(String told, IOException cause) {
        super(told, cause);
        this.told = told;
    }

    static CannotStart of(Script script, IOException e) {
        if (!Files.isDirectory(script.directory()))
            return new CannotStart(
                    "application directory: %s: is gone (expected: the files of the commit). Deploy again; they are laid out anew."
                            .formatted(script.directory()),
                    e);
        if (String.valueOf(e.getMessage()).contains(TOO_MUCH))
            return new CannotStart(tooMuch(script), e);
        return new CannotStart(
                "script: %s (expected: `setsid` on the PATH of the plugin host, and room for one more process). Mend what it names, then deploy again."
                        .formatted(e.getMessage()),
                e);
    }

    /// The system does not say which of them it is.
    private static String tooMuch(Script script) {
        var variables = script.environment().entrySet();
        var longest = variables.stream().max(Comparator.comparing(CannotStart::size));
        return "script: its variables have %d bytes%s (expected: less than 128 KiB each, and all with those of the plugin host no more than `getconf ARG_MAX` says)."
                        .formatted(
                                variables.stream().mapToInt(CannotStart::size).sum(),
                                longest.map(one ->
                                                ", %d of them %s"
                                                        .formatted(size(one), one.getKey()))
                                        .orElse(""))
                + " Shorten `env` or the application's labels, or let the script read a file, then deploy again.";
    }

    private static int size(Map.Entry<String, String> variable) {
        return (variable.getKey() + "=" + variable.getValue())
                .getBytes(StandardCharsets.UTF_8)
                .length;
    }

    String told() {
        return told;
    }
}
