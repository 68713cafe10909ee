// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.plugins.script;

import java.io.IOException;
import java.nio.file.Files;

/// The process of a script could not be made; the state directory is not at fault.
final class CannotStart extends IOException {
    private static final long serialVersionUID = 1;

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
        return new CannotStart(
                "script: %s (expected: `setsid` on the PATH of the plugin host, room for one more process, and in `env` and labels no more than the system takes as one environment)."
                                .formatted(e.getMessage())
                        + " Mend what it names, then deploy again.",
                e);
    }

    String told() {
        return told;
    }
}
