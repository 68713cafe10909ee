// SPDX-License-Identifier: Apache-2.0
package dev.pipecd.app;

import dev.pipecd.domain.Problem;
import java.nio.file.Path;

/// The folder that `make dist` made, told to each program by its launcher.
final class Distribution {
    private Distribution() {}

    static Path home() {
        var home = System.getProperty("pipecd.home", "");
        if (home.isEmpty()) {
            throw new Problem(
                    Problem.Code.SETTING_INVALID,
                    "pipecd.home: nothing (expected: the folder of the distribution)",
                    "Start the program by its launcher in bin/.");
        }
        return Path.of(home);
    }
}
